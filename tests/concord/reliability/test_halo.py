"""Halo: by hand, over all pairs of raters, in simulations of known covariances, and its limits."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from concord.reliability import Ratings, RatingsError, halo


def ratings(table, clusters=None) -> Ratings:
    return Ratings.from_matrix(np.array(table, dtype=float), clusters)


def test_two_candidates_by_hand() -> None:
    # Deviations of x: -1.5 -0.5 0.5 1.5, of y: -0.5 -1.5 1.5 0.5; both variances are 1.25.
    x, y = ratings([[1, 2], [3, 4]]), ratings([[2, 1], [4, 3]])
    result = halo(x, y)
    # Products within a rater: 0.75 0.75 0.75 0.75; with the other rater: 2.25 0.25 0.25 2.25.
    assert result.within.value == pytest.approx(0.75 / 1.25)
    assert result.between.value == pytest.approx(1.25 / 1.25)
    assert result.excess.value == pytest.approx(-0.4)
    assert (result.ratings, result.units) == (4, 2)


def test_it_is_the_correlation_over_raters_and_over_ordered_pairs_of_raters() -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(size=(30, 4))
    y = x + rng.normal(size=(30, 4))
    result = halo(ratings(x), ratings(y))
    assert result.within.value == pytest.approx(np.corrcoef(x.ravel(), y.ravel())[0, 1])
    pairs = list(permutations(range(4), 2))  # each value is in three pairs
    first = np.concatenate([x[:, r] for r, _ in pairs])
    second = np.concatenate([y[:, s] for _, s in pairs])
    assert result.between.value == pytest.approx(np.corrcoef(first, second)[0, 1])


@pytest.mark.parametrize("shared", [0.0, 0.6])
def test_known_covariances_are_recovered(shared: float) -> None:
    """Candidates' values have variance 1 and correlation 0.3; a rater's error on both criteria has
    variance `shared`, that on each of them 0.5."""
    rng, shape = np.random.default_rng(2), (20_000, 3)
    true = rng.multivariate_normal([0, 0], [[1, 0.3], [0.3, 1]], size=shape[0])
    both = rng.normal(scale=shared**0.5, size=shape)
    x, y = (true[:, [k]] + both + rng.normal(scale=0.5**0.5, size=shape) for k in (0, 1))
    result = halo(ratings(x), ratings(y), draws=200)
    variance = 1 + shared + 0.5
    assert result.within.value == pytest.approx((0.3 + shared) / variance, abs=0.02)
    assert result.between.value == pytest.approx(0.3 / variance, abs=0.02)
    low, high = result.excess.ci
    assert low < shared / variance < high and high - low < 0.02


def test_only_raters_of_both_criteria_count_and_names_match_them() -> None:
    x = Ratings.from_rows(
        [("a", "r", 1), ("a", "s", 2), ("b", "r", 3), ("b", "s", 5), ("c", "r", 9)]
    )
    y = Ratings.from_rows(
        [("b", "s", 4), ("b", "r", 6), ("a", "s", 1), ("a", "r", 2), ("c", "t", 7)]
    )
    same = halo(ratings([[1, 2], [3, 5]]), ratings([[2, 1], [6, 4]]), seed=3)
    assert halo(x, y, seed=3) == same


def test_the_interval_resamples_passages() -> None:
    rng = np.random.default_rng(4)
    x, y = rng.normal(size=(2, 10, 3))
    copies = 20  # of the same ratings in each passage: no more evidence than one
    clusters = np.tile(np.arange(10), copies)
    whole = ratings(np.tile(x, (copies, 1)), clusters), ratings(np.tile(y, (copies, 1)), clusters)
    once = halo(ratings(x), ratings(y), seed=5)
    repeated = halo(*whole, seed=5)
    assert repeated.excess.value == pytest.approx(once.excess.value)
    assert repeated.excess.ci == pytest.approx(once.excess.ci)
    independent = halo(*(ratings(one.matrix()) for one in whole), seed=5)
    assert np.ptp(independent.excess.ci) < np.ptp(repeated.excess.ci) / 3


def test_undefined_figures_have_a_reason() -> None:
    alone = halo(ratings([[1, np.nan], [2, np.nan]]), ratings([[1, 2], [2, 1]]))
    assert alone.within.value is None and "no candidate has two raters" in alone.within.reason
    equal = halo(ratings([[1, 2], [3, 4]]), ratings([[3, 3], [3, 3]]))
    assert equal.excess.value is None and "are equal" in equal.excess.reason
    one_passage = halo(ratings([[1, 2], [3, 4]], np.zeros(2, int)), ratings([[2, 1], [4, 3]]))
    assert one_passage.within.value is not None and one_passage.within.ci is None
    with pytest.raises(RatingsError, match="draws must be 1 or more"):
        halo(ratings([[1, 2]]), ratings([[1, 2]]), draws=0)
