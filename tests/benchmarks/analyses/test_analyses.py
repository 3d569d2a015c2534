"""Analyses: requests, computation once, cancellation, leases and refusals."""

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
from django.urls import reverse
from django.utils.timezone import now
from scipy import stats

from benchmarks.analyses import samples, tasks
from benchmarks.analyses import services as analyses
from benchmarks.analyses.leaderboards import complete_board_runs
from benchmarks.analyses.models import Analysis
from benchmarks.analyses.services import work
from benchmarks.boards.services import boards
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames, importing
from concord.documents.board import BoardSystemsRow
from concord.formats import read_judgments
from concord.meta.inference import SampleError, ScoredSample, run_steps
from concord.meta.inference.learning_curve import learning_curve_steps
from concord.meta.json_values import lower_triangle, triangle_entry
from config.administration import jobs
from core.accounts.roles import Role
from core.jobs.models import MAX_TRIES
from core.refusals import RefusedError
from tests.benchmarks.factories import (
    add_member,
    candidate_lines,
    make_set,
    published,
    score_here,
    write_lines,
)
from tests.html import readable
from tests.waiting import wait_for

METRICS = "token-f1,rouge-l,bleu-1,exact-match"


@pytest.fixture
def judged(tmp_path, db) -> JudgmentSet:
    judgment_set = make_set(tmp_path, pairs=4, instances=24, systems=("a", "b", "c"))
    score_here(judgment_set, METRICS)
    return judgment_set


def test_an_agreement_analysis_equals_scipy_and_is_computed_once(judged):
    analysis = analyses.find_or_compute("agreement", judged, {})
    assert analysis is not None and analysis.status == "complete"
    result = analysis.result
    gold = frames.frame(judged).gold
    for run, row in zip(complete_board_runs(judged), result["metrics"], strict=True):
        scores = run.score_array[: judged.n_candidates]
        if np.ptp(scores) == 0:
            assert row["value"] is None and "same score" in row["reason"]
            continue
        assert row["value"] == pytest.approx(stats.pearsonr(scores, gold).statistic, abs=1e-9)
        assert row["ci"][0] <= row["value"] <= row["ci"][1]
        assert row["group"] >= 1 and row["rank"] >= 1
    assert result["n"] == judged.n_candidates == 72
    assert result["units"] == [["passages", 24]]
    assert analysis.parameters["seed"] == 1
    again = analyses.find_or_compute("agreement", judged, {})
    assert again.pk == analysis.pk and again.finished_at == analysis.finished_at
    other = analyses.find_or_compute("agreement", judged, {"seed": 2})
    assert other.pk != analysis.pk
    assert [r["value"] for r in other.result["metrics"]] == [r["value"] for r in result["metrics"]]


def test_single_ratings_give_human_agreement(judged):
    analysis = analyses.find_or_compute("agreement", judged, {})
    (crowd,) = analysis.result["people"]["groups"]
    assert crowd["group"] == "crowd" and crowd["ratings_each"] == 2.0 and crowd["by_rater"]
    assert 0.7 < crowd["held_out"]["value"] <= 1.0
    best = analysis.result["metrics"][0]
    # Its figure with all raters over one rater's with the other would be larger.
    assert 0.5 < best["relative"]["value"] < best["value"] / crowd["held_out"]["value"]


@pytest.fixture
def partly_rated(tmp_path, db) -> JudgmentSet:
    """Of 24 candidates, eight have two ratings: six by w1 and w2, two by raters of one each."""
    lines = candidate_lines(8, ("a", "b", "c"))
    for number, line in enumerate(lines):
        workers = ("w1", "w2") if number < 6 else (f"x{number}", f"y{number}")
        values = (1 + number % 5, 1 + (number + number % 2) % 5)
        several = 2 if number < 8 else 1
        line["ratings"] = [
            {"worker": worker, "value": value, "group": "crowd"}
            for worker, value in zip(workers[:several], values, strict=False)
        ]
        line["score"] = float(np.mean(values[:several]))
    path = write_lines(tmp_path / "partly.jsonl", lines)
    made = importing.import_judgments("partly", read_judgments([path], "concord"), at=now())
    score_here(made, METRICS)
    return made


def test_the_share_of_human_agreement_is_of_the_same_candidates(partly_rated):
    analysis = analyses.find_or_compute("agreement", partly_rated, {})
    (crowd,) = analysis.result["people"]["groups"]
    assert crowd["candidates"] == 8 and crowd["raters"] == 2 and crowd["raters_seen"] == 6
    gold = frames.frame(partly_rated).gold
    row = next(row for row in analysis.result["metrics"] if row["metric"] == "token-f1")
    run = next(run for run in complete_board_runs(partly_rated) if run.pk == row["run"])
    scores = run.score_array
    assert row["n"] == 24 and row["relative_n"] == 6 and row["corrected_n"] == 8
    raters = np.array([(1 + k % 5, 1 + (k + k % 2) % 5) for k in range(6)])
    alone = [stats.pearsonr(scores[:6], raters[:, k]).statistic for k in (0, 1)]
    between = stats.pearsonr(*raters.T).statistic
    assert row["relative"]["value"] == pytest.approx(np.mean(alone) / between)
    on_eight = stats.pearsonr(scores[:8], gold[:8]).statistic
    reliability = crowd["reliability"]["value"]
    assert row["corrected"]["value"] == pytest.approx(on_eight / reliability**0.5)
    standing = next(
        row["standing"]
        for row in boards.read_board(partly_rated).rows
        if row["metric"] == "token-f1"
    )
    assert standing["relative_n"] == 6


def test_a_share_of_human_agreement_stands_beside_its_number_of_candidates(
    partly_rated, client, django_user_model
):
    client.force_login(django_user_model.objects.create_superuser("root"))
    assert "n = 6" in readable(client.get(reverse("leaderboard", args=["partly"])))


def test_a_new_run_needs_a_new_analysis(judged):
    first = analyses.find_or_compute("agreement", judged, {})
    score_here(judged, "bleu-2")
    second = analyses.find_or_compute("agreement", judged, {})
    assert second.pk != first.pk and len(second.runs) == len(first.runs) + 1


def test_refusals_state_the_reason(judged, tmp_path):
    for parameters, message in (
        ({"coefficient": "cosine"}, "'cosine' is not one of pearson"),
        ({"draws": -1}, "draws: -1 is not from 0"),
        ({"colour": "red"}, "has no parameter colour"),
    ):
        with pytest.raises(RefusedError, match=message):
            analyses.find_or_compute("agreement", judged, parameters)
    empty = analyses.find_or_compute("agreement", judged, {"by": "system", "group": "z"})
    assert empty.status == "refused"
    assert empty.reason == "No candidate of system z has a gold score."
    bare = make_set(tmp_path, "bare")
    with pytest.raises(RefusedError, match="needs 1 or more scored metrics"):
        analyses.find_or_compute("agreement", bare, {})
    with pytest.raises(SampleError, match="'colour' is not one of"):
        samples.sample(judged, complete_board_runs(judged), samples.Slice("colour", "red"))


def test_too_few_data_is_no_failure_and_a_deleted_run_is_one(judged, client, django_user_model):
    """On the page, in the API and in the list of failed jobs."""
    published(judged)
    refused = analyses.request_analysis("replay", judged, {})
    analyses.ANALYSES.perform(refused.pk)
    refused.refresh_from_db()
    assert refused.status == "refused" and "a replay needs 30 or more" in refused.reason
    page = readable(client.get(reverse("fewer-ratings", args=[str(judged)])))
    assert "<strong>Not enough data.</strong> 24 passages" in page
    assert "could not be computed" not in page
    editor = django_user_model.objects.create_user("edith")
    add_member(judged.name, editor, Role.EDITOR)
    client.force_login(editor)
    page = readable(client.get(reverse("fewer-ratings", args=[str(judged)])))
    assert "Not enough data." in page and "/fewer-ratings/compute" not in page
    client.logout()
    answer = client.get(reverse("api-analysis", args=[str(judged), refused.pk])).json()
    assert answer["status"] == "refused" and answer["reason"] == refused.reason
    assert jobs.listed("failed") == []
    deleted = analyses.request_analysis("agreement", judged, {"seed": 9})
    complete_board_runs(judged)[0].delete()
    analyses.ANALYSES.perform(deleted.pk)
    deleted.refresh_from_db()
    assert deleted.status == "failed" and "was deleted" in deleted.reason
    assert [row.job for row in jobs.listed("failed")] == [deleted]


def test_a_slow_analysis_is_computed_on_request_only(judged):
    slow = {"coefficient": "kendall_b", "draws": 100_000}
    assert analyses.find_or_compute("agreement", judged, slow) is None
    assert not Analysis.objects.exists()
    queued = analyses.request_analysis("agreement", judged, slow)
    assert queued.status == "queued"
    assert analyses.find_or_compute("agreement", judged, slow).pk == queued.pk
    assert queued.cancel(at=now())
    assert Analysis.claim(queued.pk, at=now()) is None
    again = analyses.request_analysis("agreement", judged, slow)
    assert again.pk == queued.pk and again.status == "queued" and again.reason == ""


def test_one_worker_has_the_lease_and_a_late_one_writes_nothing(judged):
    analysis = analyses.request_analysis("agreement", judged, {"seed": 5})
    start = now()
    first = Analysis.claim(analysis.pk, at=start)
    assert first is not None and Analysis.claim(analysis.pk, at=start) is None
    assert Analysis.stale(at=start) == []
    later = start + timedelta(hours=1)
    assert Analysis.stale(at=later) == [analysis.pk]
    second = Analysis.claim(analysis.pk, at=later)
    assert second is not None and second.attempt == first.attempt + 1
    assert not first.complete(at=later, result={"late": True})
    assert not first.advance(at=later, done=1, total=2)
    assert second.complete(at=later, result={"late": False})
    assert Analysis.objects.get(pk=analysis.pk).result == {"late": False}


def test_an_analysis_fails_after_its_workers_died_repeatedly(judged):
    analysis = analyses.request_analysis("agreement", judged, {"seed": 6})
    at = now()
    for _ in range(MAX_TRIES):
        assert Analysis.claim(analysis.pk, at=at) is not None
        Analysis.objects.update(lease_until=at - timedelta(seconds=1))
    analyses.ANALYSES.perform(analysis.pk)
    analysis.refresh_from_db()
    assert analysis.status == "failed" and "died 3 times" in analysis.reason


@pytest.mark.django_db(transaction=True)
def test_a_worker_computes_an_analysis_and_stops_a_cancelled_one(worker, tmp_path, monkeypatch):
    judgment_set = make_set(tmp_path, instances=24)
    score_here(judgment_set, "token-f1,rouge-l")
    worker.start("--queues", "light")
    quick = analyses.request_analysis("agreement", judgment_set, {"seed": 7})
    tasks.compute_analysis.delay(quick.pk)
    wait_for(lambda: Analysis.objects.get(pk=quick.pk).status == "complete")
    endless = analyses.request_analysis(
        "agreement", judgment_set, {"coefficient": "kendall_b", "draws": 3_000_000}
    )
    tasks.compute_analysis.delay(endless.pk)
    wait_for(lambda: Analysis.objects.get(pk=endless.pk).done > 0)
    assert endless.cancel(at=now())
    after = analyses.request_analysis("agreement", judgment_set, {"seed": 8})
    tasks.compute_analysis.delay(after.pk)
    wait_for(lambda: Analysis.objects.get(pk=after.pk).status == "complete")
    assert Analysis.objects.get(pk=endless.pk).status == "cancelled"


def test_a_board_has_rank_groups_human_agreement_and_systems(judged):
    board = boards.read_board(judged)
    assert board.standings["adjusted_by"] == "holm"
    row = next(row for row in board.rows if row["metric"] == "token-f1")
    assert row["standing"]["group"] >= 1 and row["standing"]["relative"]["value"] > 0
    assert set(row["systems"]) == BoardSystemsRow.__required_keys__
    parts = boards.read_board(judged, "system")
    assert parts.standings is None and all(row["standing"] is None for row in parts.rows)
    one = boards.read_board(judged, "system", "a")
    ranked = [row for row in one.rows if row["standing"]]
    assert ranked and {row["group"] for row in ranked} == {"a"}


def test_ranking_changes_between_versions(judged, tmp_path):
    lines = candidate_lines(24, ("a", "b", "c"))
    for line in lines:
        line["score"] = 6 - line["score"]
        del line["ratings"]
    path = tmp_path / "turned.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    call_command("import_judgments", str(path), format="concord", name="small", stdout=StringIO())
    second = JudgmentSet.objects.named("small")
    score_here(second, METRICS)
    changes = boards.ranking_changes(JudgmentSet.objects.named("small@1"), second)
    ranks = {one.metric: (one.rank_before, one.rank_after) for one in changes}
    assert set(ranks) == set(METRICS.split(","))
    before = [name for name, _ in sorted(ranks.items(), key=lambda one: one[1][0] or 9)]
    after = [name for name, _ in sorted(ranks.items(), key=lambda one: one[1][1] or 9)]
    assert before == after[::-1]


def test_the_command_prints_groups_and_files(judged):
    out = StringIO()
    call_command("comparison", "small", stdout=out)
    assert "rank: 1 + the number of significantly better metrics" in out.getvalue()
    for form, beginning in (("csv", "judgment_set,"), ("tex", "% small@1"), ("json", "{")):
        out = StringIO()
        call_command("comparison", "small", format=form, stdout=out)
        assert out.getvalue().startswith(beginning)
    with pytest.raises(CommandError, match="No candidate of system z"):
        call_command("comparison", "small", by="system", group="z", stdout=StringIO())


@pytest.mark.django_db(transaction=True)
def test_wait_for_returns_after_another_process_finished(tmp_path):
    judgment_set = make_set(tmp_path)
    score_here(judgment_set, "token-f1")
    analysis = analyses.request_analysis("agreement", judgment_set, {"seed": 9})
    claimed = Analysis.claim(analysis.pk, at=now())
    assert claimed.advance(at=now(), done=3, total=10)

    def end() -> None:
        time.sleep(0.5)
        claimed.complete(at=now(), result={}, seconds=0.5)
        connection.close()

    first = threading.Thread(target=end)
    first.start()
    seen: list[tuple[int, int]] = []
    work.wait_for(analysis, lambda done, total: seen.append((done, total)))
    first.join()
    assert analysis.status == "complete" and seen[0] == (3, 10)


def test_triangle_entries_of_both_halves():
    matrix = np.array([[np.nan, 0.1, -0.2], [-0.1, np.nan, 0.3], [0.2, -0.3, np.nan]])
    triangle = lower_triangle(matrix)
    assert triangle == [[], [-0.1], [0.2, -0.3]]
    assert triangle_entry(triangle, 1, 0) == triangle_entry(triangle, 0, 1) == -0.1
    assert triangle_entry(triangle, 2, 2) is None


def test_the_learning_curve_rises_to_agreement_and_needs_enough_passages():
    rng = np.random.default_rng(3)
    n = 600
    gold = rng.normal(size=n)
    scores = {f"m{k}": gold + (1 + k) * rng.normal(size=n) for k in range(6)}
    sample = ScoredSample.from_scores(scores, gold, items=np.arange(n))
    curve = run_steps(learning_curve_steps(sample, rng=np.random.default_rng(1), draws=100))
    assert curve[0].agreement < curve[-1].agreement and curve[-1].passages == 300
    assert all(-1 <= p.low <= p.agreement <= p.high <= 1 for p in curve)
    same = run_steps(learning_curve_steps(sample, rng=np.random.default_rng(1), draws=100))
    assert same == curve
    with pytest.raises(SampleError, match="too few passages for a learning curve"):
        few = ScoredSample.from_scores(
            {k: v[:12] for k, v in scores.items()}, gold[:12], items=np.arange(12)
        )
        run_steps(learning_curve_steps(few, rng=rng))
