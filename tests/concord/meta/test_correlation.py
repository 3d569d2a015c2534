"""Correlations against their definitions, and against an outside program's values."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from concord.meta import kendall, pearson, spearman
from concord.meta.comparing import correlations_between
from concord.meta.correlation import pearson_rows, weighted_pearson
from concord.meta.inference import ScoredSample

FIGURES = (pearson, spearman, kendall)
numbers = st.floats(-100, 100).map(lambda x: round(x, 3))
vectors = st.integers(3, 30).flatmap(
    lambda n: st.tuples(
        st.lists(numbers, min_size=n, max_size=n), st.lists(numbers, min_size=n, max_size=n)
    )
)


def tau_b(x, y) -> float:
    """Kendall's tau-b by its definition over all pairs."""
    agree = ties_x = ties_y = 0
    pairs = list(combinations(range(len(x)), 2))
    for i, j in pairs:
        a, b = np.sign(x[i] - x[j]), np.sign(y[i] - y[j])
        agree += a * b
        ties_x += a == 0
        ties_y += b == 0
    return agree / math.sqrt((len(pairs) - ties_x) * (len(pairs) - ties_y))


@pytest.fixture
def scores():
    rng = np.random.default_rng(5)
    gold = rng.integers(1, 6, 60).astype(float)
    return np.round(gold + rng.normal(0, 2, 60), 1), gold


def test_pearson_is_its_definition(scores):
    x, y = scores
    r = float(np.sum((x - x.mean()) * (y - y.mean())) / (len(x) * x.std() * y.std()))
    assert pearson(x, y).value == pytest.approx(r, abs=1e-12)


def test_spearman_is_pearson_of_mean_ranks(scores):
    x, y = scores
    ranks = [np.array([np.mean(np.flatnonzero(np.sort(v) == a)) for a in v]) for v in (x, y)]
    assert spearman(x, y).value == pytest.approx(pearson(*ranks).value, abs=1e-12)


def test_kendall_is_tau_b_over_all_pairs(scores):
    assert kendall(*scores).value == pytest.approx(tau_b(*scores), abs=1e-12)


@pytest.mark.parametrize("coefficient", FIGURES)
def test_the_interval_is_that_of_the_figures_without_each_passage(coefficient, scores):
    x, y = scores
    clusters = np.repeat(np.arange(12), 5)
    result = coefficient(x, y, clusters)
    others = [coefficient(x[clusters != k], y[clusters != k]).value for k in range(12)]
    error = math.sqrt(11 * np.var(others))
    half = stats.t.ppf(0.975, 11) * error / (1 - result.value**2)
    ends = np.tanh(np.arctanh(result.value) + half * np.array([-1, 1]))
    # Of ranks, pairs within a passage are taken as those of different passages.
    assert result.ci == pytest.approx(ends, abs=1e-12 if coefficient is pearson else 0.02)
    t = np.arctanh(result.value) * (1 - result.value**2) / error
    assert result.p == pytest.approx(
        2 * stats.t.sf(t, 11), rel=1e-9 if coefficient is pearson else 1
    )
    assert (result.clusters, result.unit, result.n) == (12, "passages", 60)
    assert coefficient(x, y, clusters % 9).reason == "9 passages; at least 10 are needed"


@pytest.mark.parametrize("coefficient", FIGURES)
def test_a_weight_of_two_is_the_candidate_twice(coefficient, scores):
    x, y = scores
    weights = np.random.default_rng(2).integers(1, 4, 60)
    clusters = np.arange(60) // 2
    weighted = coefficient(x, y, clusters, weights.astype(float))
    repeated = coefficient(*(np.repeat(side, weights) for side in (x, y, clusters)))
    assert weighted.value == pytest.approx(repeated.value, abs=1e-12)
    assert weighted.ci == pytest.approx(repeated.ci, abs=1e-12)
    assert coefficient(x, y, clusters, np.full(60, 0.3)).ci == pytest.approx(
        coefficient(x, y, clusters).ci, abs=1e-12
    )


@pytest.mark.parametrize("coefficient", FIGURES)
@given(
    st.integers(0, 9),
    st.sampled_from([1e-200, 1e-11, 1e-6, 1.0, 7.0, 1e9]),
    st.sampled_from([0.0, 0.5, -1e3]),
)
def test_scale_and_offset_of_scores_and_gold_change_nothing(coefficient, seed, scale, offset):
    rng = np.random.default_rng(seed)
    y = np.round(rng.normal(size=36) * 2) / 2
    x, clusters, weights = y + rng.normal(size=36), np.arange(36) // 3, rng.uniform(1, 3, 36)
    plain = coefficient(x, y, clusters, weights)
    for moved in (
        coefficient(scale * (x + offset), scale * (y + offset), clusters, weights),
        coefficient(x + 1e8 * offset, scale * (y + offset), clusters, weights),
    ):
        assert moved.value == pytest.approx(plain.value, abs=1e-6)
        assert moved.ci == pytest.approx(plain.ci, abs=1e-5)


def test_equal_scores_have_no_figure_at_any_scale():
    for value in (1e8 + 0.1, 1e-11, 0.1):
        assert pearson(np.full(50, value), np.arange(50.0)).value is None
        assert math.isnan(weighted_pearson(np.full(50, value), np.arange(50.0), np.ones(50)))


def test_a_figure_that_hinges_on_one_passage_has_no_interval():
    gold = np.zeros(40)
    gold[:2] = 1.0
    result = pearson(np.arange(40.0), gold, np.arange(40) // 2)
    assert result.value is not None and result.ci is None
    assert result.reason == "the figure depends on one of the passages"


@pytest.mark.parametrize("passages", [10, 30])
def test_dependent_candidates_are_rejected_as_often_as_said(passages):
    """Fisher's z rejects in about 9% of these."""
    rng = np.random.default_rng(3)
    clusters = np.repeat(np.arange(passages), 6)

    def draw():
        return math.sqrt(0.3) * rng.normal(size=passages)[clusters] + math.sqrt(0.7) * rng.normal(
            size=len(clusters)
        )

    for coefficient in FIGURES:
        rejected = np.mean([coefficient(draw(), draw(), clusters).p < 0.05 for _ in range(300)])
        assert rejected <= 0.085, coefficient  # 5% and 2.8 standard errors


@given(vectors)
def test_figures_stay_in_range_turn_with_the_metric_and_ignore_order(pair):
    x, y = (np.array(v) for v in pair)
    for figure in FIGURES:
        result = figure(x, y)
        if result.value is None:
            assert result.reason
            continue
        assert -1 <= result.value <= 1 and 0 <= (result.p or 0) <= 1
        assert figure(-x, y).value == pytest.approx(-result.value, abs=1e-9)
        assert figure(x[::-1], y[::-1]).value == pytest.approx(result.value, abs=1e-9)
        if result.ci:
            assert -1 <= result.ci[0] <= result.value <= result.ci[1] <= 1


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([1, 2], [1, 2], "too few judged candidates: 2"),
        ([1, 1, 1], [1, 2, 3], "the metric gives every candidate the same score, 1"),
        ([1, 2, 3], [4, 4, 4], "people gave every candidate the same score, 4"),
        ([np.nan] * 3, [1, 2, 3], "the metric scored none of the candidates"),
        ([1, np.nan, 3], [1, 2, 3], "the metric has no score for 1 of 3"),
        ([1, np.nan, 2, 3], [1, 2, 2, 3], "no score for 1 of 4; of the others it is 1.00"),
    ],
)
def test_what_is_not_defined_says_why(x, y, reason):
    for figure in FIGURES:
        result = figure(np.array(x, float), np.array(y, float))
        assert result.value is None and reason in result.reason
        assert result.to_json() == {"value": None, "reason": result.reason}


def test_vectors_of_different_length_are_a_mistake():
    with pytest.raises(ValueError, match="must be one vector each"):
        pearson(np.zeros(3), np.zeros(4))


@given(st.lists(vectors, min_size=1, max_size=4))
def test_the_r_of_many_rows_is_the_r_of_each(rows: list[tuple[list[float], list[float]]]) -> None:
    n = min(len(x) for x, _ in rows)
    x, y = (np.array([row[side][:n] for row in rows]) for side in (0, 1))
    for one, other, r in zip(x, y, pearson_rows(x, y).tolist(), strict=True):
        alone = pearson(one, other).value
        assert math.isnan(r) if alone is None else r == pytest.approx(alone, abs=1e-9)
    # A side may be given once for all rows.
    assert pearson_rows(x, y[0]) == pytest.approx(pearson_rows(x, y[:1]), nan_ok=True)


def test_the_r_between_metrics_is_the_r_of_each_two() -> None:
    rng = np.random.default_rng(1)
    scores = {name: rng.normal(size=40) for name in ("a", "b", "c")} | {"constant": np.ones(40)}
    result = correlations_between(
        ScoredSample.from_scores(scores, rng.normal(size=40), items=list(range(40)))
    )
    for i, one in enumerate(scores.values()):
        for k, other in enumerate(scores.values()):
            alone = pearson(one, other).value
            expected = np.nan if alone is None else alone
            assert result[i, k] == pytest.approx(expected, abs=1e-12, nan_ok=True)
