"""Judges of before their questions were counted are kept, drafts included, and have a quote."""

from __future__ import annotations

from typing import Any

from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.utils.timezone import now

from benchmarks.judging import services as judging
from benchmarks.judging.models import ModelJudge
from tests.benchmarks.judging.judges import make_judge


def migrated(targets: list[tuple[str, str]]) -> Any:
    executor = MigrationExecutor(connection)
    executor.migrate(targets)
    return executor.loader.project_state(targets).apps


def test_drafts_of_before_are_kept_and_counted(small, server, ed):
    draft, stopped = (make_judge(small, server, ed, repeats=2) for _ in range(2))
    judging.confirm(stopped, by=ed, at=now())
    expected = judging.quote(draft)
    of_pairs = make_judge(small, server, ed, name="pairs")
    leaves = MigrationExecutor(connection).loader.graph.leaf_nodes()
    try:
        old = migrated([("benchmarks", "0028_second_looks")])
        judges = old.get_model("benchmarks", "ModelJudge").objects
        judges.filter(pk=of_pairs.pk).update(template="{first} or {second}?")
        answers = old.get_model("benchmarks", "ModelAnswer").objects
        for judge in (draft, stopped):
            answers.create(
                judge_id=judge.pk,
                position=0,
                repeat=0,
                score=3.0,
                prompt_tokens=1,
                completion_tokens=1,
                seconds=0.1,
                answered_at=now(),
            )
    finally:
        migrated(leaves)
    for pk in (draft.pk, stopped.pk):
        judge = ModelJudge.objects.get(pk=pk)
        quote = judging.quote(judge)
        assert (judge.n_requests, quote.requests) == (24, 23)
        assert expected.prompt_tokens / 2 < quote.prompt_tokens < expected.prompt_tokens
        assert judging.quote(ModelJudge.objects.get(pk=pk)) == quote
        assert judge.judged == "candidates"
    of_pairs.refresh_from_db()
    assert of_pairs.judged == "minimal pairs"
