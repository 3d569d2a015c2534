"""A set's next version: which submissions are on its board."""

from __future__ import annotations

import numpy as np
import pytest
from django.utils.timezone import now

from benchmarks.runs.models import MetricRun, Submission
from benchmarks.runs.services import runs as metric_runs
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import importing
from benchmarks.submissions import services as submissions
from benchmarks.submissions.services import SubmissionInfo
from concord.formats import ReadOptions, read_judgments, read_pairs
from core.audit.models import AuditEvent
from tests.benchmarks.factories import candidate_lines, pair_lines, write_lines
from tests.benchmarks.submissions.conftest import score_lines


@pytest.fixture
def mine(small, ann, scores_file) -> Submission:
    """Ann's public submission, with scores of the pairs."""
    path = scores_file(score_lines(small, pairs=True))
    submission = submissions.submit_scores(small, SubmissionInfo("mine"), path, owner=ann, at=now())
    submissions.publish(submission, at=now())
    return submission


def next_version(tmp_path, lines, pairs=None) -> JudgmentSet:
    judgments = read_judgments([write_lines(tmp_path / "n", lines)], "concord", ReadOptions())
    pair_file = None
    if pairs:
        pair_file = read_pairs([write_lines(tmp_path / "p", pairs)], "concord", ReadOptions())
    return importing.import_judgments("small", judgments, pair_file, at=now())


def carried(judgment_set: JudgmentSet) -> Submission:
    return Submission.objects.get(judgment_set=judgment_set)


def run_of(submission: Submission) -> MetricRun:
    return MetricRun.objects.defer(None).get(submission=submission)


def test_scores_of_every_candidate_are_carried_with_their_signature(mine, tmp_path):
    lines = candidate_lines()
    renamed = [line | {"id": f"new-{line['id']}", "score": 3} for line in lines[::-1]]
    second = next_version(tmp_path, renamed, pair_lines(4)[::-1])
    copy = carried(second)
    assert (copy.carried_from, copy.owner, copy.is_public) == (mine, mine.owner, True)
    before, after = run_of(mine), run_of(copy)
    assert after.signature == before.signature and after.status == "complete"
    assert after.score_array[:12].tolist() == before.score_array[:12].tolist()[::-1]
    assert after.score_array[12:].tolist() == [5, 1, 4, 1, 3, 1, 2, 1]
    assert AuditEvent.objects.filter(action="submission.carried").count() == 1
    assert submissions.remaining_today(second, mine.owner, at=now()) == (
        submissions.remaining_today(mine.judgment_set, mine.owner, at=now())
    )


def test_new_pairs_leave_the_candidates_scores_on_the_board(mine, tmp_path):
    pairs = pair_lines(4)
    pairs[0]["candidate1"] = "another better answer"
    file = read_pairs([write_lines(tmp_path / "p", pairs)], "concord", ReadOptions())
    second = importing.import_pairs("small", file, at=now())
    copy = carried(second)
    scores = run_of(copy).score_array
    assert np.isfinite(scores[:12]).all() and np.isnan(scores[12:]).all()


def test_scores_survive_a_version_that_lacks_some(mine, tmp_path):
    lines = candidate_lines()
    changed = [lines[0] | {"candidate": "another answer"}, *lines[1:]]
    second = next_version(tmp_path, changed)
    third = next_version(tmp_path, lines[1:])
    assert not Submission.objects.filter(judgment_set=second).exists()
    assert carried(third).carried_from == mine
    assert run_of(carried(third)).score_array.tolist() == run_of(mine).score_array[1:12].tolist()


def test_a_withdrawn_submission_is_not_carried(mine, tmp_path):
    submissions.withdraw(mine, at=now())
    second = next_version(tmp_path, candidate_lines())
    assert not Submission.objects.filter(judgment_set=second).exists()


def test_an_endpoint_computes_only_what_the_copy_lacks(small, ann, tmp_path, settings):
    settings.OUTGOING_ALLOWED_HOSTS = ["127.0.0.1"]
    submission = submissions.submit_metric(
        *(small, SubmissionInfo("far"), "endpoint", "http://127.0.0.1:9/score"),
        **{"owner": ann, "at": now()},
    )
    run = submissions.run_of(submission)
    scores = np.arange(small.n_items, dtype="<f8")
    assert metric_runs.complete_run(run, scores, {}, at=now())
    lines = candidate_lines()
    lines[0]["candidate"] = "another answer"
    copy = carried(next_version(tmp_path, lines))
    again = submissions.retry(copy, at=now())
    assert again.signature == run.signature and again.n_known == 11
    assert sum(chunk.n_items for chunk in again.chunks.all()) == 1
