"""Williams' test, the paired bootstrap, adjustments for many pairs, ranks and groups."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from concord.meta.inference import (
    ScoredSample,
    bootstrap_steps,
    compare_pairs,
    holm,
    perm_both_steps,
    rank_metrics,
    run_steps,
    westfall_young,
    williams,
)
from tests.concord.meta.inference.made_up import GOLDEN, equally_good, gappy_sample, golden_sample

p_values = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@pytest.mark.parametrize("case", GOLDEN["williams"])
def test_williams_p_values_are_those_of_mt_metrics_eval(case):
    sample = golden_sample()
    result = williams(sample)
    one, other = (sample.metrics.index(case[name]) for name in ("metric1", "metric2"))
    better, worse = (one, other) if result.delta[one, other] > 0 else (other, one)
    expected = case["p_one_sided"]
    assert result.p_greater[better, worse] == pytest.approx(expected, abs=1e-9, rel=1e-9)
    assert result.p[one, other] == pytest.approx(2 * expected, rel=1e-9)


def test_williams_of_a_double_or_of_too_few_candidates():
    base = gappy_sample()
    double = ScoredSample.from_scores(
        {"a": base.scores[0], "b": 2 * base.scores[0] + 1, "same": np.ones(base.n)},
        base.gold,
        items=base.items,
    )
    result = williams(double)
    assert result.p_greater[0, 1] == 0.5 and result.p[0, 1] == 1.0
    assert np.isnan(result.p[2]).all()
    three = ScoredSample.from_scores(
        {"a": np.array([1, 2, 4.0]), "b": np.array([1, 3, 2.0])}, [1, 2, 3], items=[1, 2, 3]
    )
    assert np.isnan(williams(three).p).all()


def test_paired_bootstrap_is_a_count_of_the_draws():
    sample = gappy_sample(items=60)
    draws = run_steps(
        bootstrap_steps(sample, "spearman", "item", rng=np.random.default_rng(0), draws=300)
    )
    result = compare_pairs(draws)
    delta = draws.values[:, 0] - draws.values[:, 1]
    count = np.count_nonzero(delta <= 0)
    low, high = (
        stats.t.cdf(stats.norm.ppf(draw / 301) / math.sqrt(30 / 29), 29)
        for draw in (count, count + 1)
    )
    assert 0 < low <= result.p_greater[0, 1] <= high
    assert result.p[0, 1] == min(1.0, 2 * min(result.p_greater[0, 1], result.p_greater[1, 0]))
    assert result.low[0, 1] < result.delta[0, 1] < result.high[0, 1]
    assert (result.low[1, 0], result.high[1, 0]) == (-result.high[0, 1], -result.low[0, 1])


@pytest.mark.slow
def test_all_tests_find_equal_metrics_different_in_5_of_100():
    result = {"williams": 0, "bootstrap": 0}
    for dataset in range(2000):
        rng = np.random.default_rng([dataset, 3])
        sample = equally_good(rng, 150)
        draws = run_steps(bootstrap_steps(sample, "pearson", rng=rng, draws=399))
        result["bootstrap"] += compare_pairs(draws).p[0, 1] <= 0.05
        result["williams"] += williams(sample).p[0, 1] <= 0.05
    for count in result.values():
        assert count / 2000 == pytest.approx(0.05, abs=3 * math.sqrt(0.05 * 0.95 / 2000))


def test_holm_of_a_worked_example():
    result = holm(np.array([0.01, 0.04, np.nan, 0.03, 0.005]))
    assert result[[0, 1, 3, 4]] == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert np.isnan(result[2])


@given(p_values)
def test_holm_lies_between_no_adjustment_and_bonferronis(values):
    p = np.array(values)
    result = holm(p)
    assert np.all(result >= p - 1e-15) and np.all(result <= np.minimum(1, p * len(p)) + 1e-15)
    assert np.all(np.diff(result[np.argsort(p, kind="stable")]) >= 0)


def test_westfall_young_is_bonferroni_like_when_pairs_are_independent_and_free_when_they_repeat():
    rng = np.random.default_rng(0)
    nulls = rng.normal(size=(4000, 20))
    observed = np.full(20, stats.norm.isf(0.005 / 2))
    assert westfall_young(observed, nulls) == pytest.approx(1 - 0.995**20, abs=0.02)
    repeated = np.repeat(nulls[:, :1], 20, axis=1)
    assert westfall_young(observed, repeated) == pytest.approx(0.005, abs=0.004)


def test_westfall_young_leaves_out_what_was_not_tested_and_what_cannot_move():
    nulls = np.random.default_rng(0).normal(size=(100, 3))
    nulls[:, 2] = 0.0
    result = westfall_young(np.array([np.nan, 50.0, 0.0]), nulls)
    assert np.isnan(result[0])
    assert result[1] == pytest.approx(1 / 101) and result[2] == 1.0


def test_the_family_of_equal_metrics_is_wrong_in_5_of_100():
    wrong = np.zeros(2)
    for dataset in range(150):
        rng = np.random.default_rng([dataset, 11])
        truth = rng.normal(size=80)
        scores = {f"m{k}": truth + rng.normal(size=80) for k in range(5)}
        sample = ScoredSample.from_scores(scores, truth + rng.normal(size=80), items=np.arange(80))
        result = run_steps(perm_both_steps(sample, rng=rng, draws=399))
        wrong += [np.nanmin(result.p_family) <= 0.05, np.nanmin(result.p_holm) <= 0.05]
    assert wrong[0] / 150 == pytest.approx(0.05, abs=4 * math.sqrt(0.05 * 0.95 / 150))
    assert wrong[1] <= wrong[0] + 1


def matrix(size: int, *significant: tuple[int, int]):
    p = np.full((size, size), 0.5)
    for i, j in significant:
        p[i, j] = p[j, i] = 0.01
    return p


def test_metrics_that_cannot_be_told_apart_share_rank_and_group():
    values = np.array([0.5, 0.9, 0.8, 0.4])
    result = rank_metrics(values, matrix(4, (1, 0), (2, 0), (1, 3), (2, 3)))
    assert [s.rank for s in result] == [3, 1, 1, 3]
    assert [s.group for s in result] == [2, 1, 1, 2]


def test_a_group_ends_at_the_first_metric_worse_than_any_of_its_own():
    # First and third differ, the second differs from neither: it shares the first's rank, and the
    # third opens a group though it cannot be told from the second.
    result = rank_metrics(np.array([0.9, 0.8, 0.7]), matrix(3, (0, 2)))
    assert [s.rank for s in result] == [1, 1, 2]
    assert [s.group for s in result] == [1, 1, 2]


def test_metrics_without_a_figure_have_no_place():
    result = rank_metrics(np.array([np.nan, 0.2, 0.1]), np.full((3, 3), np.nan))
    assert (result[0].rank, result[0].group) == (None, None)
    assert [s.rank for s in result[1:]] == [1, 1]


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=8, unique=True), st.integers(0, 2**20))
def test_ranks_and_groups_do_not_depend_on_the_order_given(values, seed):
    rng = np.random.default_rng(seed)
    figures = np.array(values)
    p = rng.random((len(values), len(values))) ** 3
    p = np.triu(p, 1) + np.triu(p, 1).T
    result = rank_metrics(figures, p)
    order = rng.permutation(len(values))
    again = rank_metrics(figures[order], p[np.ix_(order, order)])
    assert again == [result[k] for k in order]
    best = int(np.argmax(figures))
    assert (result[best].rank, result[best].group) == (1, 1)
