"""Metrics as judges of correctness: figures from stored runs, refusals and hidden labels."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import numpy as np
import pytest
from django.utils.timezone import now

from benchmarks.analyses import services as analyses
from benchmarks.analyses.kinds import correctness
from benchmarks.analyses.kinds.correctness import curves
from benchmarks.analyses.kinds.correctness.computation import (
    BestSystem,
    CorrectnessResult,
    MetricCorrectness,
)
from benchmarks.analyses.kinds.correctness.parameters import (
    EVERY_OTHER,
    PASSAGES,
    CorrectnessParameters,
)
from benchmarks.analyses.services import requests
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import scoring
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames, hidden, importing
from benchmarks.sets.viewers import Viewer
from concord.formats import ReadOptions, read_judgments
from concord.meta.correctness import count_confusion
from core.refusals import RefusedError
from tests import real_data
from tests.benchmarks.factories import make_set, score_here

METRICS = "token-f1,rouge-l,ter,exact-match"


@pytest.fixture
def scored(tmp_path: Path, db: None) -> JudgmentSet:
    judgment_set = make_set(tmp_path, instances=30, systems=("a", "b", "c"))
    score_here(judgment_set, METRICS)
    return judgment_set


def result_of(judgment_set: JudgmentSet, **parameters: object) -> CorrectnessResult:
    result: CorrectnessResult = analyses.result("correctness", judgment_set, parameters)
    return result


def row_of(result: CorrectnessResult, metric: str) -> MetricCorrectness:
    return next(row for row in result.metrics if row.metric == metric)


def test_the_splits_of_the_set_tune_and_are_reported(scored: JudgmentSet) -> None:
    result = result_of(scored)
    parameters = result.parameters
    assert (parameters.gold, parameters.tune, parameters.report) == (3.0, "dev", "test")
    assert result.n.tuning.answers == result.n.reported.answers == 30
    every = result_of(scored, report=EVERY_OTHER)
    assert every.n.reported.answers == 60
    drawn = result_of(scored, tune=PASSAGES)
    assert drawn.n.tuning.passages == 6
    assert drawn.n.reported.passages == 24
    assert drawn.parameters.share == 0.2


def test_figures_use_the_tuned_threshold(scored: JudgmentSet) -> None:
    result = result_of(scored)
    row = row_of(result, "token-f1")
    frame = frames.frame(scored)
    test = frame.labels["split"] == "test"
    scores = MetricRun.objects.get(pk=row.run).score_array[: scored.n_candidates]
    expected = count_confusion(scores[test] >= row.threshold, frame.gold[test] >= 3.0)
    assert row.counts.true_positive == expected.true_positive
    assert row.counts.false_positive == expected.false_positive
    assert row.f1.value > result.always.f1.value


def test_questions_without_both_verdicts_are_left_out_of_tuning_too(scored: JudgmentSet) -> None:
    """At a gold threshold of 3 two of each question's three answers are correct, at 0.5 all."""
    every = result_of(scored, rule="p1")
    mixed = result_of(scored, rule="p1", mixed=True)
    assert every.n.one_sided == mixed.n.one_sided == 0
    alike = result_of(scored, rule="p1", gold=0.5, mixed=True)
    assert alike.n.tuning.answers == 0 and alike.n.one_sided == 30
    assert row_of(alike, "token-f1").reason == "there is no answer to tune on"
    assert not alike.systems


def test_lower_is_better_metrics_are_negated(scored: JudgmentSet) -> None:
    row = row_of(result_of(scored), "ter")
    assert not row.higher_is_better
    assert row.auc.value > 0.5 and row.threshold > 0


def test_systems_and_picks_compare_metrics_with_people(scored: JudgmentSet) -> None:
    result = result_of(scored)
    assert result.measures == ["p1"]
    frame = frames.frame(scored)
    for row in result.systems:
        mask = (frame.labels["system"] == row.system) & (frame.labels["split"] == "test")
        assert row.people["p1"] == pytest.approx(np.mean(frame.gold[mask] >= 3.0))
    token = row_of(result, "token-f1")
    estimated = [row.metrics[str(token.run)]["p1"] for row in result.systems]
    people = [row.people["p1"] for row in result.systems]
    rmse = np.sqrt(np.mean((np.array(estimated) - people) ** 2))
    assert token.systems["p1"].rmse.value == pytest.approx(rmse)
    assert result.reranking.instances == 30
    best, chance = result.reranking.best.value, result.reranking.chance.value
    assert chance <= token.reranked.picked.value <= best


def test_a_reranker_is_fitted_to_each_metric_and_judged_by_people(scored: JudgmentSet) -> None:
    result = result_of(scored)
    of_set = result.optimised
    assert (of_set.tuned, of_set.instances) == (10, 10)
    assert of_set.features == ["length in words", "overlap with the question"]
    # Two of each question's three answers are correct, in the test split system a's always.
    assert of_set.chance.value == pytest.approx(2 / 3) and of_set.best.value == 1.0
    assert of_set.system == BestSystem("a", 1.0)
    one = row_of(result, "token-f1").optimised
    for picks in (one.random, one.fitted, one.own):
        metric, people, gap = (getattr(picks, name).value for name in ("metric", "people", "gap"))
        assert gap == pytest.approx(metric - people)
    assert one.random.people.value == pytest.approx(2 / 3)
    gaps = one.fitted.gap.value - one.random.gap.value
    assert one.added.value == pytest.approx(gaps)


def test_missing_and_infinite_scores_affect_one_metric_only(scored: JudgmentSet) -> None:
    run = MetricRun.objects.get(judgment_set=scored, metric="rouge-l")
    scores = run.score_array.copy()
    scores[3] = np.inf
    run.scores = scores.tobytes()
    run.statistics = None
    run.save()
    constant = MetricRun.objects.get(judgment_set=scored, metric="exact-match")
    constant.scores = np.zeros(scored.n_items).tobytes()
    constant.save()
    result = result_of(scored)
    assert "no score for 1 of 90" in row_of(result, "rouge-l").f1.reason
    assert "the same score" in row_of(result, "exact-match").auc.reason
    assert "the same score" in row_of(result, "exact-match").reranked.gain.reason
    assert "the same score" in row_of(result, "exact-match").optimised.added.reason
    assert row_of(result, "token-f1").f1.value is not None
    run.refresh_from_db()
    assert "no score for 1" in str(curves.compute(scored, run, result.parameters))


def test_refusals_state_the_reason(scored: JudgmentSet, tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="no judged split “moon”"):
        result_of(scored, tune="moon")
    with pytest.raises(RefusedError, match="cannot both tune and be reported"):
        result_of(scored, tune="dev", report="dev")
    unscored = make_set(tmp_path, "unscored")
    with pytest.raises(RefusedError, match="needs 1 or more scored metrics"):
        result_of(unscored)
    strict = result_of(scored, gold=6.0)
    assert strict.metrics[0].f1.reason.startswith("people found no answer correct")
    run = MetricRun.objects.get(pk=strict.metrics[0].run)
    assert curves.compute(scored, run, strict.parameters) == "people found no answer correct"


def test_analyses_that_were_stored_before_are_found(scored: JudgmentSet) -> None:
    """Stored fingerprints are those of parameters with the set's defaults."""
    runs = [MetricRun(pk=3, signature="a|v1"), MetricRun(pk=7, signature="b|v2")]
    explicit = {"gold": 3.5, "rule": "p1", "tune": "dev", "report": "test", "mixed": True}
    complete = requests.complete_parameters(correctness.KIND, scored, explicit)
    assert requests.fingerprint(correctness.KIND, runs, complete) == (
        "bbf2d07b178c4c6f32830772e1e8c5c1decaf586064ea550a7babdd54b7357fb"
    )
    assert requests.complete_parameters(correctness.KIND, scored, {}) == {
        **asdict(CorrectnessParameters()),
        "gold": 3.0,
        "tune": "dev",
        "report": "test",
    }


def test_hidden_labels_withhold_figures(scored: JudgmentSet) -> None:
    hidden.hide(scored, "test", at=now())
    with pytest.raises(RefusedError, match="labels are hidden"):
        result_of(scored)
    scored.viewer = Viewer(hidden_labels=True)
    assert result_of(scored).n.reported.correct is not None


def test_on_evouna_sharing_any_token_with_a_golden_answer_has_f1_092(
    db: None,
) -> None:
    path = real_data.path("evouna/NQ.json")
    judgments = read_judgments([path], "evouna", ReadOptions())
    judgment_set = importing.import_judgments("evouna", judgments, None, at=now())
    run = score_here(judgment_set, "token-f1")[0]
    shares = (run.score_array > 0).astype("<f8")
    MetricRun.objects.filter(pk=run.pk).update(
        scores=shares.tobytes(), statistics=scoring.statistics_of(run, shares)
    )
    result = result_of(judgment_set)
    row = result.metrics[0]
    assert 12_000 < result.n.reported.answers < 12_200
    assert row.threshold == 0.5
    assert row.f1.value == pytest.approx(0.92, abs=0.005)
    assert row.systems["p1"].rmse.value == pytest.approx(0.028, abs=0.004)
    assert result.always.f1.value == pytest.approx(0.85, abs=0.005)
    assert result.always.balanced_accuracy.value == 0.5
