"""All metrics at once: frozen thresholds, intervals, and what is undefined."""

from __future__ import annotations

import numpy as np
import pytest

from concord.inference import Estimate
from concord.meta import correctness
from concord.meta.inference import ScoredSample

N = 600


@pytest.fixture(scope="module")
def sample() -> ScoredSample:
    rng = np.random.default_rng(8)
    items = np.repeat(np.arange(N // 3), 3)
    gold = rng.integers(1, 6, N).astype(float)
    holed = gold.copy()
    holed[7] = np.nan
    scores = {
        "good": gold + rng.normal(size=N),
        "chance": np.clip(gold / 5 + rng.normal(size=N) / 5, 0, 1),
        "blind": rng.normal(size=N),
        "constant": np.ones(N),
        "holed": holed,
    }
    systems = np.tile(["a", "b", "c"], N // 3)
    return ScoredSample.from_scores(scores, gold, items=items, systems=systems)


def evaluated(sample: ScoredSample, rule: correctness.Rule = "f1") -> list[correctness.PointWise]:
    right = correctness.gold_verdicts(sample.gold, 3.0)
    division = correctness.divide_by_passage(sample.clusters, np.random.default_rng(0))
    thresholds = correctness.tune_thresholds(sample, right, division.tuning, rule)
    rng = np.random.default_rng(1)
    return correctness.point_wise(sample, right, division, thresholds, rng=rng, draws=200)


def test_better_metrics_have_better_figures_with_intervals_around_them(
    sample: ScoredSample,
) -> None:
    good, chance, blind, *_ = evaluated(sample)
    for figures in (good, chance):
        for figure in (*figures.figures.values(), figures.auc):
            assert figure.value is not None and figure.ci is not None
            assert figure.ci[0] <= figure.value <= figure.ci[1]
    assert good.figures["balanced_accuracy"].value > 0.7  # type: ignore[operator]
    assert blind.figures["balanced_accuracy"].value == pytest.approx(0.5, abs=0.07)
    assert blind.auc.ci is not None and blind.auc.ci[0] < 0.5 < blind.auc.ci[1]


def test_a_constant_or_holed_metric_is_undefined_with_its_reason(sample: ScoredSample) -> None:
    *_, constant, holed = evaluated(sample)
    assert constant.threshold is None and "the same score" in constant.reason
    assert "no score for 1 of 600" in holed.figures["f1"].reason
    assert holed.auc.value is None and constant.auc.value is None


def test_what_is_reported_does_not_tune(sample: ScoredSample) -> None:
    """Whatever becomes of the reported part, the thresholds stay."""
    right = correctness.gold_verdicts(sample.gold, 3.0)
    division = correctness.divide_by_passage(sample.clusters, np.random.default_rng(0))
    flipped = np.where(division.reported, ~right, right)
    for rule in correctness.RULES:
        one = correctness.tune_thresholds(sample, right, division.tuning, rule)
        assert one == correctness.tune_thresholds(sample, flipped, division.tuning, rule)


def test_calling_everything_correct_is_the_row_to_beat(sample: ScoredSample) -> None:
    right = correctness.gold_verdicts(sample.gold, 3.0)
    division = correctness.divide_by_passage(sample.clusters, np.random.default_rng(0))
    rng = np.random.default_rng(1)
    result = correctness.always_correct_baseline(sample, right, division, rng=rng, draws=100)
    share = right[division.reported].mean()
    assert result.figures["accuracy"].value == pytest.approx(share)
    assert result.figures["f1"].value == pytest.approx(2 * share / (1 + share))
    assert result.figures["recall"].value == 1.0
    assert result.figures["recall"].ci is not None and result.figures["recall"].ci[0] < 1
    assert (result.figures["balanced_accuracy"].value, result.auc.value) == (0.5, 0.5)


def test_systems_are_estimated_by_threshold_and_by_probability(sample: ScoredSample) -> None:
    right = correctness.gold_verdicts(sample.gold, 3.0)
    division = correctness.divide_by_passage(sample.clusters, np.random.default_rng(0))
    thresholds = correctness.tune_thresholds(sample, right, division.tuning, "p1")
    part, verdicts = sample.select_candidates(division.reported), right[division.reported]
    result = correctness.system_wise(part, verdicts, thresholds)
    assert result.measures == ("p1",) and result.systems == ("a", "b", "c")
    assert result.lists.tolist() == [160, 160, 160]
    for at in range(3):
        assert result.people["p1"][at] == pytest.approx(verdicts[part.systems == at].mean())
    error = result.metrics[0].errors["p1"].rmse.value
    assert error is not None and error < 0.1
    assert "the same score" in result.metrics[3].reason
    likely = correctness.system_wise(part, verdicts, thresholds, "probability")
    assert "outside 0 to 1" in likely.metrics[0].reason
    assert likely.metrics[1].values["p1"][0] == pytest.approx(
        part.scores[1][part.systems == 0].mean()
    )


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    """F1 and AUC on passages of three alike answers: 95% within Monte Carlo error."""
    rng = np.random.default_rng(9)
    covered = {"f1": 0, "auc": 0}
    large = drawn(np.random.default_rng(10), 60_000)
    truth = {name: large[name].value for name in covered}
    rounds = 120
    for _ in range(rounds):
        result = drawn(rng, 300)
        for name in covered:
            low, high = result[name].ci
            covered[name] += low <= truth[name] <= high
    # Three standard errors of a share of 0.95 over 120 rounds are 0.06.
    assert all(count / rounds >= 0.88 for count in covered.values()), covered


def drawn(rng: np.random.Generator, n: int) -> dict:
    items = np.repeat(np.arange(n // 3), 3)
    ease = np.repeat(rng.normal(size=n // 3), 3)
    gold = (ease + rng.normal(size=n) > 0).astype(float)
    scores = ease + gold + rng.normal(size=n)
    sample = ScoredSample.from_scores({"m": scores}, gold, items=items)
    right = correctness.gold_verdicts(gold, 0.5)
    every = correctness.Division(np.zeros(n, bool), np.ones(n, bool))
    result = correctness.point_wise(sample, right, every, [Estimate(0.5)], rng=rng, draws=200)[0]
    return {"f1": result.figures["f1"], "auc": result.auc}
