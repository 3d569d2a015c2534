"""Comparisons of metrics with weights: against the plain figures, and their coverage."""

from __future__ import annotations

import numpy as np
import pytest

from concord.meta import pearson, spearman
from concord.meta.comparing import ComparisonOptions, compare_steps, separating_test
from concord.meta.inference import SampleError, ScoredSample, correlations, run_steps
from concord.meta.inference.correlations import LEFT_OUT
from concord.sampling import draw_wave, unit_records
from concord.sampling.stored import candidate_weights
from tests.concord.sampling import simulated


def sample_of(rng, n=240):
    """A good metric, two equal poor ones, and one without scores."""
    gold = np.round(rng.normal(3, 1, n))
    poor = gold + rng.normal(0, 3, n)
    scores = {"good": gold + rng.normal(0, 0.5, n), "poor": poor, "same": poor}
    scores["none"] = np.full(n, np.nan)
    return ScoredSample.from_scores(scores, gold, items=np.arange(n), clusters=np.arange(n) // 2)


@pytest.mark.parametrize("coefficient", LEFT_OUT)
def test_equal_weights_give_the_plain_figures(coefficient):
    sample = sample_of(np.random.default_rng(1))
    options = ComparisonOptions(coefficient)
    result = run_steps(compare_steps(sample, options, np.full(sample.n, 2.0)))
    plain = correlations(sample, coefficient, "none")
    for row, own in zip(result["metrics"][:3], plain, strict=False):
        assert row["value"] == pytest.approx(own.value)
        assert row["ci"][0] < row["value"] < row["ci"][1]
    assert [row["rank"] for row in result["metrics"]] == [1, 2, 2, None]
    assert [row["top"] for row in result["metrics"]] == [True, False, False, None]
    assert result["metrics"][3]["reason"] == "the metric scored none of the candidates"
    assert result["tests"]["holm"][1][0] < 0.001, "good and poor"
    assert result["tests"]["holm"][2][1] == 1.0, "poor and its twin"
    assert result["pairs"] == 3
    assert separating_test(result) == "the jackknife over passages with design weights"


def test_holms_method_can_resolve_many_pairs():
    rng = np.random.default_rng(2)
    gold = rng.normal(0, 1, 300)
    scores = {f"m{k}": gold + rng.normal(0, 0.2 + k, 300) for k in range(14)}
    sample = ScoredSample.from_scores(scores, gold, items=np.arange(300))
    result = run_steps(compare_steps(sample, ComparisonOptions(), np.ones(300)))
    assert result["tests"]["holm"][-1][0] < 0.001, "91 pairs"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (ComparisonOptions("kendall_c"), "kendall_c has no weighted form"),
        (ComparisonOptions(average="item"), "weighted figures are over all candidates"),
        (ComparisonOptions(resample="both"), "weighted figures are over all candidates"),
    ],
)
def test_what_has_no_weighted_form_is_refused(options, message):
    sample = sample_of(np.random.default_rng(1))
    with pytest.raises(SampleError, match=message):
        run_steps(compare_steps(sample, options, np.ones(sample.n)))


def test_few_passages_are_refused():
    few = sample_of(np.random.default_rng(1), n=18)
    with pytest.raises(SampleError, match="10 or more passages; there are 9"):
        run_steps(compare_steps(few, ComparisonOptions(), np.ones(18)))


def test_the_p_value_and_the_interval_of_a_difference_agree():
    for seed in range(60):
        rng = np.random.default_rng(seed)
        gold = rng.normal(size=40)
        scores = {"a": gold + rng.normal(size=40), "b": gold + 2 * rng.normal(size=40)}
        sample = ScoredSample.from_scores(
            scores, gold, items=np.arange(40), clusters=np.repeat(np.arange(10), 4)
        )
        tests = run_steps(compare_steps(sample, ComparisonOptions(), np.ones(40)))["tests"]
        p, low, high = (tests[name][1][0] for name in ("jackknife", "low", "high"))
        assert (p < 0.05) == (low > 0 or high < 0)


def coverage(coefficient, size, per_passage, simulations):
    """How often the interval of the difference of two metrics holds that of the population, which
    is drawn by one wave that prefers extreme scores."""
    rng = np.random.default_rng(7)
    formula, held = {"pearson": pearson, "spearman": spearman}[coefficient], []
    for number in range(simulations):
        if number % 10 == 0:
            units, outcomes = simulated.population(
                rng, passages=1500, per_passage=per_passage, rho=0.7, metrics=2
            )
            one = units.scores[:, 0]
            other = 0.7 * units.scores[:, 1] + 0.3 * one
            true = formula(other, outcomes).value - formula(one, outcomes).value
            odds = np.where(np.abs(units.unit_means(one)) > 1, 2.0, 1.0)
        wave = draw_wave(1, size * odds / odds.sum(), units.unit_ids, seed=700_000 + number)
        seen = np.where(wave.drawn[units.units], outcomes, np.nan)
        by_unit = unit_records(units.unit_ids, [wave])
        weights = candidate_weights([by_unit[unit] for unit in units.units], seen, units.passages)
        sample = ScoredSample.from_scores(
            {"one": one, "other": other}, seen, items=units.units, clusters=units.passages
        )
        result = run_steps(
            compare_steps(sample, ComparisonOptions(coefficient), weights[weights > 0])
        )
        low, high = (result["tests"][end][1][0] for end in ("low", "high"))
        held.append(low <= true <= high)
    return np.mean(held)


def test_differences_hold_the_populations():
    assert coverage("pearson", 40, 1, 100) >= 0.88


@pytest.mark.slow
@pytest.mark.parametrize("coefficient", ["pearson", "spearman"])
@pytest.mark.parametrize(("size", "per_passage"), [(30, 1), (60, 1), (150, 1), (60, 2)])
def test_differences_hold_the_populations_in_a_thousand_simulations(coefficient, size, per_passage):
    assert 0.935 <= coverage(coefficient, size, per_passage, 1000) <= 0.965
