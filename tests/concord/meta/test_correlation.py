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
from concord.meta.correlation import pearson_rows
from concord.meta.inference import ScoredSample

FIGURES = (pearson, spearman, kendall)
numbers = st.floats(-100, 100).map(lambda x: round(x, 3))
vectors = st.integers(3, 30).flatmap(
    lambda n: st.tuples(
        st.lists(numbers, min_size=n, max_size=n), st.lists(numbers, min_size=n, max_size=n)
    )
)


def t_test(r: float, n: int) -> float:
    """Two-sided p of no association: t = r sqrt((n - 2) / (1 - r^2)) with n - 2 degrees."""
    t = r * math.sqrt((n - 2) / (1 - r * r))
    return float(2 * stats.t.sf(abs(t), n - 2))


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


def test_pearson_is_its_definition_with_the_t_test(scores):
    x, y = scores
    r = float(np.sum((x - x.mean()) * (y - y.mean())) / (len(x) * x.std() * y.std()))
    result = pearson(x, y)
    assert result.value == pytest.approx(r, abs=1e-12)
    assert result.p == pytest.approx(t_test(r, len(x)), rel=1e-9)


def test_spearman_is_pearson_of_mean_ranks_with_the_t_test(scores):
    x, y = scores
    ranks = [np.array([np.mean(np.flatnonzero(np.sort(v) == a)) for a in v]) for v in (x, y)]
    rho = pearson(*ranks).value
    result = spearman(x, y)
    assert result.value == pytest.approx(rho, abs=1e-12)
    assert result.p == pytest.approx(t_test(rho, len(x)), rel=1e-9)


def test_kendall_is_tau_b_over_all_pairs(scores):
    assert kendall(*scores).value == pytest.approx(tau_b(*scores), abs=1e-12)


def test_fishers_interval_of_a_worked_example():
    # r = 0.5, n = 103: atanh(0.5) = 0.5493, standard error 0.1.
    rng = np.random.default_rng(0)
    x = rng.normal(size=103)
    noise = rng.normal(size=103)
    x -= x.mean()
    noise -= noise.mean()
    noise -= x * (noise @ x) / (x @ x)
    y = x / np.linalg.norm(x) + math.sqrt(3) * noise / np.linalg.norm(noise)
    result = pearson(x, y)
    assert result.value == pytest.approx(0.5)
    assert result.ci == pytest.approx((0.3393, 0.6323), abs=1e-4)


@given(vectors)
def test_figures_stay_in_range_turn_with_the_metric_and_ignore_order(pair):
    x, y = (np.array(v) for v in pair)
    for figure in FIGURES:
        result = figure(x, y)
        if result.value is None:
            assert result.reason
            continue
        assert -1 <= result.value <= 1 and 0 <= result.p <= 1
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
