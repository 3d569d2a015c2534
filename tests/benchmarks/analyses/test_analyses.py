"""Analyses: computed once, kept with what fixes them, stopped, resumed and refused."""

from __future__ import annotations

import json
import threading
import time
from datetime import timedelta
from io import StringIO

import numpy as np
import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.utils.timezone import now
from scipy import stats

from benchmarks.analyses import samples, tasks
from benchmarks.analyses import services as analyses
from benchmarks.analyses.models import Analysis
from benchmarks.analyses.services import work
from benchmarks.boards.services import standings
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames
from concord.meta.documents.board import BoardSystemsRow
from concord.meta.inference import Sample, SampleError, run_steps
from concord.meta.inference.learning_curve import learning_curve_steps
from concord.meta.json_values import lower_triangle, triangle_entry
from core.jobs.models import MAX_TRIES
from tests.benchmarks.factories import candidate_lines, make_set, score_here
from tests.waiting import wait_for

METRICS = "token-f1,rouge-l,bleu-1,exact-match"


@pytest.fixture
def judged(tmp_path, db) -> JudgmentSet:
    made = make_set(tmp_path, pairs=4, instances=24, systems=("a", "b", "c"))
    score_here(made, METRICS)
    return made


def test_an_agreement_analysis_says_what_scipy_says_and_is_computed_once(judged):
    found = analyses.answer("agreement", judged, {})
    assert found is not None and found.status == "complete"
    result = found.result
    gold = frames.frame(judged).gold
    for run, row in zip(analyses.board_of(judged), result["metrics"], strict=True):
        scores = run.score_array[: judged.n_candidates]
        if np.ptp(scores) == 0:
            assert row["value"] is None and "same score" in row["reason"]
            continue
        assert row["value"] == pytest.approx(stats.pearsonr(scores, gold).statistic, abs=1e-9)
        assert row["ci"][0] <= row["value"] <= row["ci"][1]
        assert row["group"] >= 1 and row["rank"] >= 1
    assert result["n"] == judged.n_candidates == 72
    assert result["units"] == [["passages", 24]]
    assert found.parameters["seed"] == 1
    again = analyses.answer("agreement", judged, {})
    assert again.pk == found.pk and again.finished_at == found.finished_at
    other = analyses.answer("agreement", judged, {"seed": 2})
    assert other.pk != found.pk
    assert [r["value"] for r in other.result["metrics"]] == [r["value"] for r in result["metrics"]]


def test_people_are_compared_with_people_where_single_ratings_are_known(judged):
    found = analyses.answer("agreement", judged, {})
    (crowd,) = found.result["people"]["groups"]
    assert crowd["group"] == "crowd" and crowd["ratings_each"] == 2.0 and crowd["by_rater"]
    assert 0.7 < crowd["held_out"]["value"] <= 1.0
    best = found.result["metrics"][0]
    assert best["relative"]["value"] == pytest.approx(best["value"] / crowd["held_out"]["value"])


def test_a_new_run_makes_a_new_analysis_and_the_old_one_stays(judged):
    first = analyses.answer("agreement", judged, {})
    score_here(judged, "bleu-2")
    second = analyses.answer("agreement", judged, {})
    assert second.pk != first.pk and len(second.runs) == len(first.runs) + 1


def test_what_cannot_be_asked_or_computed_says_why(judged, tmp_path):
    for given, message in (
        ({"coefficient": "cosine"}, "there is no 'cosine'; there are pearson"),
        ({"draws": -1}, "draws: -1 is no count"),
        ({"colour": "red"}, "has no parameter colour"),
    ):
        with pytest.raises(analyses.AnalysisRefusedError, match=message):
            analyses.answer("agreement", judged, given)
    nowhere = analyses.answer("agreement", judged, {"by": "system", "group": "z"})
    assert nowhere.status == "failed"
    assert nowhere.reason == "No candidate of system z has a gold score."
    bare = make_set(tmp_path, "bare")
    with pytest.raises(analyses.AnalysisRefusedError, match="needs 1 scored metrics"):
        analyses.answer("agreement", bare, {})
    with pytest.raises(SampleError, match="'colour' is none of"):
        samples.sample(judged, analyses.board_of(judged), samples.Slice("colour", "red"))


def test_a_slow_one_waits_until_it_is_asked_for(judged):
    slow = {"coefficient": "kendall_b", "draws": 100_000}
    assert analyses.answer("agreement", judged, slow) is None
    assert not Analysis.objects.exists()
    asked = analyses.ask("agreement", judged, slow)
    assert asked.status == "queued" and analyses.answer("agreement", judged, slow).pk == asked.pk
    assert asked.cancel(at=now())
    assert Analysis.claim(asked.pk, at=now()) is None
    again = analyses.ask("agreement", judged, slow)
    assert again.pk == asked.pk and again.status == "queued" and again.reason == ""


def test_only_one_worker_holds_it_and_a_late_one_writes_nothing(judged):
    asked = analyses.ask("agreement", judged, {"seed": 5})
    start = now()
    first = Analysis.claim(asked.pk, at=start)
    assert first is not None and Analysis.claim(asked.pk, at=start) is None
    assert Analysis.stale(at=start) == []
    later = start + timedelta(hours=1)
    assert Analysis.stale(at=later) == [asked.pk]
    second = Analysis.claim(asked.pk, at=later)
    assert second is not None and second.attempt == first.attempt + 1
    assert not first.complete(at=later, result={"late": True})
    assert not first.advance(at=later, done=1, total=2)
    assert second.complete(at=later, result={"late": False})
    assert Analysis.objects.get(pk=asked.pk).result == {"late": False}


def test_one_whose_workers_keep_dying_fails_with_a_reason(judged):
    asked = analyses.ask("agreement", judged, {"seed": 6})
    at = now()
    for _ in range(MAX_TRIES):
        assert Analysis.claim(asked.pk, at=at) is not None
        Analysis.objects.update(lease_until=at - timedelta(seconds=1))
    analyses.perform(asked.pk)
    asked.refresh_from_db()
    assert asked.status == "failed" and "died 3 times" in asked.reason


@pytest.mark.django_db(transaction=True)
def test_a_worker_computes_one_and_stops_when_it_is_stopped(worker, tmp_path, monkeypatch):
    made = make_set(tmp_path, instances=24)
    score_here(made, "token-f1,rouge-l")
    worker.start()
    quick = analyses.ask("agreement", made, {"seed": 7})
    tasks.compute_analysis.delay(quick.pk)
    wait_for(lambda: Analysis.objects.get(pk=quick.pk).status == "complete")
    endless = analyses.ask("agreement", made, {"coefficient": "kendall_b", "draws": 3_000_000})
    tasks.compute_analysis.delay(endless.pk)
    wait_for(lambda: Analysis.objects.get(pk=endless.pk).done > 0)
    assert endless.cancel(at=now())
    after = analyses.ask("agreement", made, {"seed": 8})
    tasks.compute_analysis.delay(after.pk)
    wait_for(lambda: Analysis.objects.get(pk=after.pk).status == "complete")
    assert Analysis.objects.get(pk=endless.pk).status == "cancelled"


def test_a_board_carries_rank_groups_ceiling_and_systems(judged):
    board = standings.board(judged)
    assert board["standings"]["adjusted_by"] == "holm"
    row = next(row for row in board["rows"] if row["metric"] == "token-f1")
    assert row["standing"]["group"] >= 1 and row["standing"]["relative"]["value"] > 0
    assert set(row["systems"]) == BoardSystemsRow.__required_keys__
    parts = standings.board(judged, "system")
    assert parts["standings"] is None and all(row["standing"] is None for row in parts["rows"])
    one = standings.board(judged, "system", "a")
    placed = [row for row in one["rows"] if row["standing"]]
    assert placed and {row["group"] for row in placed} == {"a"}


def test_versions_show_how_the_ranking_moved(judged, tmp_path):
    turned = candidate_lines(24, ("a", "b", "c"))
    for line in turned:
        line["score"] = 6 - line["score"]
        del line["ratings"]
    path = tmp_path / "turned.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in turned))
    call_command("import_judgments", str(path), format="concord", name="small", stdout=StringIO())
    second = JudgmentSet.objects.named("small")
    score_here(second, METRICS)
    changes = standings.ranking_changes(JudgmentSet.objects.named("small@1"), second)
    moved = {one.metric: (one.place_before, one.place_after) for one in changes}
    assert set(moved) == set(METRICS.split(","))
    before = [name for name, _ in sorted(moved.items(), key=lambda one: one[1][0] or 9)]
    after = [name for name, _ in sorted(moved.items(), key=lambda one: one[1][1] or 9)]
    assert before == after[::-1]


def test_the_command_prints_groups_and_files(judged):
    out = StringIO()
    call_command("comparison", "small", stdout=out)
    assert "metrics of one group cannot be told apart" in out.getvalue()
    for form, beginning in (("csv", "judgment_set,"), ("tex", "% small@1"), ("json", "{")):
        out = StringIO()
        call_command("comparison", "small", format=form, stdout=out)
        assert out.getvalue().startswith(beginning)
    with pytest.raises(CommandError, match="No candidate of system z"):
        call_command("comparison", "small", by="system", group="z", stdout=StringIO())


@pytest.mark.django_db(transaction=True)
def test_a_second_caller_waits_for_the_first(tmp_path):
    made = make_set(tmp_path)
    score_here(made, "token-f1")
    asked = analyses.ask("agreement", made, {"seed": 9})
    claimed = Analysis.claim(asked.pk, at=now())
    assert claimed.advance(at=now(), done=3, total=10)

    def end() -> None:
        time.sleep(0.5)
        claimed.complete(at=now(), result={}, seconds=0.5)
        connection.close()

    first = threading.Thread(target=end)
    first.start()
    seen: list[tuple[int, int]] = []
    work.wait_for(asked, lambda done, total: seen.append((done, total)))
    first.join()
    assert asked.status == "complete" and seen[0] == (3, 10)


def test_triangles_keep_both_halves():
    matrix = np.array([[np.nan, 0.1, -0.2], [-0.1, np.nan, 0.3], [0.2, -0.3, np.nan]])
    triangle = lower_triangle(matrix)
    assert triangle == [[], [-0.1], [0.2, -0.3]]
    assert (
        triangle_entry(triangle, 1, 0) == -0.1
        and triangle_entry(triangle, 0, 1, mirrored=-1.0) == 0.1
    )
    assert triangle_entry(triangle, 2, 2) is None and lower_triangle(None) is None


def test_the_learning_curve_rises_to_agreement_and_needs_enough_passages():
    rng = np.random.default_rng(3)
    n = 600
    gold = rng.normal(size=n)
    scores = {f"m{k}": gold + (1 + k) * rng.normal(size=n) for k in range(6)}
    sample = Sample.from_scores(scores, gold, items=np.arange(n))
    curve = run_steps(learning_curve_steps(sample, rng=np.random.default_rng(1), draws=100))
    assert curve[0].agreement < curve[-1].agreement and curve[-1].passages == 300
    assert all(-1 <= point.low <= point.agreement <= point.high <= 1 for point in curve)
    same = run_steps(learning_curve_steps(sample, rng=np.random.default_rng(1), draws=100))
    assert same == curve
    with pytest.raises(SampleError, match="too few for a learning curve"):
        few = Sample.from_scores(
            {k: v[:12] for k, v in scores.items()}, gold[:12], items=np.arange(12)
        )
        run_steps(learning_curve_steps(few, rng=rng))
