"""PERM-BOTH against mt-metrics-eval, against a plain loop over scipy, and on equal metrics."""

from __future__ import annotations

import math

import numpy as np
import pytest

from concord.meta.inference import (
    COEFFICIENTS,
    GROUPINGS,
    SampleError,
    ScoredSample,
    draws_needed,
    perm_both_steps,
    run_steps,
)
from concord.meta.inference.draws import toss_coins
from concord.meta.inference.swaps import PearsonSwaps, RankSwaps, standardise
from tests.concord.meta.inference.made_up import (
    GOLDEN,
    all_pairs,
    equally_good,
    gappy_sample,
    golden_sample,
    group_codes,
    plain_mean,
)


def perm_both(sample, *args, seed=0, **options):
    return run_steps(perm_both_steps(sample, *args, rng=np.random.default_rng(seed), **options))


@pytest.mark.parametrize(
    "case", GOLDEN["perm_both"], ids=lambda c: "{metric2}-{correlation}".format(**c)
)
def test_p_values_are_those_of_mt_metrics_eval_within_their_error(case):
    sample = golden_sample()
    better, worse = (sample.metrics.index(case[name]) for name in ("metric2", "metric1"))
    result = perm_both(
        sample, case["correlation"], case["average_by"], draws=2000, unit="candidate"
    )
    assert result.delta[better, worse] == pytest.approx(case["delta"], abs=1e-9)
    p = case["p_metric2_better"]
    error = math.sqrt(max(p * (1 - p), 0.0005) * (1 / case["draws"] + 1 / 2000))
    assert result.p_greater[better, worse] == pytest.approx(p, abs=4 * error + 1 / 2000)


@pytest.mark.parametrize("grouping", GROUPINGS)
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_each_draw_is_scipys_figure_of_the_swapped_scores(coefficient, grouping):
    sample = standardise(gappy_sample(6))
    is_kept = toss_coins(np.random.default_rng(1), 8, sample.n)
    groups = group_codes(sample, grouping)
    pairs = all_pairs(len(sample.metrics))
    if coefficient == "pearson":
        result = PearsonSwaps(sample, grouping).differences(is_kept)
    else:
        swaps = RankSwaps(sample, grouping, coefficient)
        taken = is_kept.astype(np.uint8)
        result = np.stack([swaps.of_pair(i, j)(taken) for i, j in pairs], axis=1)
    for draw, keep in enumerate(is_kept):
        for pair, (i, j) in enumerate(pairs):
            a, b = sample.scores[i], sample.scores[j]
            first, second = np.where(keep, a, b), np.where(keep, b, a)
            expected = plain_mean(coefficient, first, sample.gold, groups)
            expected -= plain_mean(coefficient, second, sample.gold, groups)
            assert result[draw, pair] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("coefficient", ["pearson", "spearman"])
def test_units_swap_together(coefficient):
    # Four passages: sixteen ways to swap, half of them mirrored, so p moves in steps of 1/8.
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(4), 5)
    gold = rng.normal(size=20)
    sample = ScoredSample.from_scores(
        {"a": gold + 0.1 * rng.normal(size=20), "b": rng.normal(size=20)},
        gold,
        items=np.arange(20),
        clusters=clusters,
    )
    result = perm_both(sample, coefficient, draws=4000, unit="passage")
    assert result.p[0, 1] * 8 == pytest.approx(round(result.p[0, 1] * 8), abs=0.15)
    assert result.p[0, 1] >= 0.1


def test_a_metric_against_its_double_or_its_rescaling_is_not_different():
    base = gappy_sample()
    scores = {"m": base.scores[0], "again": base.scores[0], "scaled": 3 * base.scores[0] - 1}
    sample = ScoredSample.from_scores(scores, base.gold, items=base.items)
    for coefficient in COEFFICIENTS:
        result = perm_both(sample, coefficient, draws=60)
        off = ~np.eye(3, dtype=bool)
        assert np.all(result.p[off] == 1.0) and np.all(result.p_greater[off] == 1.0)
        assert np.all(result.p_family[off] == 1.0)


@pytest.mark.parametrize("coefficient", ["pearson", "kendall_b"])
def test_metrics_without_a_figure_take_no_part(coefficient):
    base = gappy_sample()
    scores = {"a": base.scores[0], "same": np.zeros(base.n), "b": base.scores[1]}
    with_constant = perm_both(
        ScoredSample.from_scores(scores, base.gold, items=base.items), coefficient, draws=90
    )
    del scores["same"]
    without = perm_both(
        ScoredSample.from_scores(scores, base.gold, items=base.items), coefficient, draws=90
    )
    assert np.isnan(with_constant.p[1]).all() and np.isnan(with_constant.values[1])
    assert with_constant.p[0, 2] == without.p[0, 1]
    assert with_constant.pairs == 1


def test_sides_add_up_and_the_matrix_is_symmetric():
    result = perm_both(gappy_sample(), "spearman", draws=200)
    off = ~np.eye(3, dtype=bool)
    assert np.array_equal(result.p, result.p.T, equal_nan=True)
    assert np.all((result.p_greater + result.p_greater.T)[off] >= 1.0)
    assert np.allclose(result.delta, -result.delta.T, equal_nan=True)


def test_few_draws_cannot_pass_holm_and_the_comparison_says_so():
    assert draws_needed(30) == 8699
    result = perm_both(gappy_sample(metrics=5), "pearson", draws=99)
    assert not result.resolves(0.05)
    assert np.nanmin(result.p_holm) > 0.05
    assert perm_both(gappy_sample(metrics=5), "pearson", draws=199).resolves(0.05)


def test_what_cannot_be_swapped_is_refused():
    with pytest.raises(SampleError, match="'tau' is none of"):
        perm_both(gappy_sample(), "tau")
    with pytest.raises(SampleError, match="'word' is none of"):
        perm_both(gappy_sample(), "pearson", unit="word")


def rejected(datasets: int, n: int, coefficient: str, better_by: float = 0.0) -> float:
    """The share of data sets in which two metrics are found different at 0.05."""
    result = 0
    for dataset in range(datasets):
        rng = np.random.default_rng([dataset, n])
        sample = equally_good(rng, n, better_by)
        steps = perm_both_steps(sample, coefficient, rng=rng, draws=199)
        result += run_steps(steps).p[0, 1] <= 0.05
    return result / datasets


def test_equal_metrics_are_found_different_in_5_of_100():
    assert rejected(300, 60, "pearson") == pytest.approx(0.05, abs=4 * math.sqrt(0.0475 / 300))


def test_power_rises_with_n():
    shares = [rejected(60, n, "pearson", better_by=0.3) for n in (30, 120, 480)]
    assert shares == sorted(shares) and shares[2] > shares[0] + 0.3


@pytest.mark.slow
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_equal_metrics_are_found_different_in_5_of_100_over_2000_data_sets(coefficient):
    share = rejected(2000, 100, coefficient)
    assert share == pytest.approx(0.05, abs=3 * math.sqrt(0.05 * 0.95 / 2000))


@pytest.mark.slow
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_power_rises_with_n_for_every_coefficient(coefficient):
    shares = [rejected(400, n, coefficient, better_by=0.3) for n in (30, 120, 480)]
    assert shares == sorted(shares) and shares[2] > shares[0] + 0.4
