"""Percent agreement, ICC and the mean pairwise kappa against plain computations."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from concord.reliability import (
    RaterPairs,
    Ratings,
    RatingsError,
    intraclass_correlation,
    mean_weighted_kappa,
    percent_agreement,
)
from tests.concord.reliability.oracles import CRITERIA, tables, thumb_table

# Shrout and Fleiss (1979), Table 2: six targets, four judges.
SHROUT = np.array(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
)


def plain_kappa(a, b, power):
    """Cohen's weighted kappa from two vectors, every cell of both tables written out."""
    observed = np.mean(np.abs(a - b) ** power)
    expected = np.mean(np.abs(a[:, None] - b[None, :]) ** power)
    return None if expected == 0 else 1 - observed / expected


@given(tables(), st.sampled_from(["quadratic", "linear"]))
def test_kappa_is_the_mean_over_pairs_of_raters(table, weights):
    kappas, undefined = [], 0
    for first, second in combinations(table.T, 2):
        both = ~np.isnan(first) & ~np.isnan(second)
        if both.sum() >= 2:
            kappa = plain_kappa(first[both], second[both], 2 if weights == "quadratic" else 1)
            undefined += kappa is None
            kappas += [] if kappa is None else [kappa]
    result = mean_weighted_kappa(Ratings.from_matrix(table), weights)
    each = RaterPairs.of(Ratings.from_matrix(table)).kappas(weights)
    assert (result.n, np.count_nonzero(np.isnan(each))) == (len(kappas), undefined)
    if kappas:
        assert result.value == pytest.approx(np.mean(kappas), abs=1e-9)
    else:
        assert result.value is None and result.reason


WEIGHTS = pytest.mark.parametrize(
    ("ours", "theirs"), [("quadratic",) * 2, ("linear",) * 2, ("nominal", None)]
)


@WEIGHTS
def test_kappa_equals_scikit_learn(ours, theirs):
    rng = np.random.default_rng(5)
    table = np.clip(rng.integers(1, 6, (80, 1)) + rng.integers(-1, 2, (80, 2)), 1, 5)
    result = mean_weighted_kappa(Ratings.from_matrix(table), ours)
    expected = cohen_kappa_score(*table.T, weights=theirs, labels=range(1, 6))
    assert result.value == pytest.approx(expected, abs=1e-12)


@WEIGHTS
@pytest.mark.parametrize("criterion", CRITERIA)
def test_kappa_of_thumb_equals_scikit_learn(concord_data, criterion, ours, theirs):
    table = thumb_table(concord_data, "expert", criterion)
    result = mean_weighted_kappa(Ratings.from_matrix(table.astype(float)), ours)
    expected = [
        cohen_kappa_score(first, second, weights=theirs, labels=range(1, 6))
        for first, second in combinations(table.T, 2)
    ]
    assert result.value == pytest.approx(np.mean(expected), abs=1e-12)


def test_kappa_without_ratings_is_undefined():
    result = mean_weighted_kappa(Ratings.from_rows([]))
    assert (result.value, result.n) == (None, 0) and result.reason


def test_unknown_weights_are_refused():
    with pytest.raises(RatingsError, match="choose one of nominal, quadratic"):
        mean_weighted_kappa(Ratings.from_rows([]), "cubic")


@given(tables())
def test_percent_agreement_is_the_share_of_equal_pairs(table):
    shares = []
    for row in table:
        pairs = list(combinations(row[~np.isnan(row)], 2))
        if pairs:
            shares.append(np.mean([a == b for a, b in pairs]))
    result = percent_agreement(Ratings.from_matrix(table))
    assert result.value == (pytest.approx(np.mean(shares)) if shares else None)


def test_icc_of_shrout_and_fleiss():
    ratings = Ratings.from_matrix(SHROUT)
    assert intraclass_correlation(ratings).value == pytest.approx(0.17, abs=0.005)
    assert intraclass_correlation(ratings, "mean").value == pytest.approx(0.44, abs=0.005)


def test_icc_of_unequal_numbers_of_ratings_follows_the_stated_formula():
    rng = np.random.default_rng(2)
    table = rng.normal(0, 1, (30, 1)) + rng.normal(0, 0.7, (30, 5))
    table[rng.random(table.shape) < 0.4] = np.nan
    rows = [row[~np.isnan(row)] for row in table]
    rows = [row for row in rows if len(row) >= 2]
    k = np.array([len(row) for row in rows])
    every = np.concatenate(rows)
    between = sum(len(r) * (r.mean() - every.mean()) ** 2 for r in rows) / (len(rows) - 1)
    within = sum(((r - r.mean()) ** 2).sum() for r in rows) / (k.sum() - len(rows))
    k0 = (k.sum() - (k**2).sum() / k.sum()) / (len(rows) - 1)
    ratings = Ratings.from_matrix(table)
    expected = (between - within) / (between + (k0 - 1) * within)
    assert intraclass_correlation(ratings).value == pytest.approx(expected, abs=1e-12)
    average = intraclass_correlation(ratings, "mean").value
    assert average == pytest.approx((between - within) / between, abs=1e-12)


@pytest.mark.parametrize(
    ("table", "single", "average"),
    [
        ([[1, 2]], "fewer than two", "fewer than two"),
        ([[2, 2], [2, 2]], "every rating is 2", "every rating is 2"),
        ([[1, 3], [3, 1]], None, "have the same mean"),
    ],
)
def test_an_undefined_icc_says_why(table, single, average):
    ratings = Ratings.from_matrix(table)
    assert average in intraclass_correlation(ratings, "mean").reason
    result = intraclass_correlation(ratings)
    assert (single in result.reason) if single else result.value == -1.0
