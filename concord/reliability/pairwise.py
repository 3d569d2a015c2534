"""Agreement between pairs of ratings and pairs of raters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from concord.inference import Estimate
from concord.reliability.coincidences import pairs_within
from concord.reliability.krippendorff import BLOCK_CELLS
from concord.reliability.ratings import Ratings, RatingsError

Weights = Literal["nominal", "quadratic", "linear"]


def percent_agreement(ratings: Ratings) -> Estimate:
    """The share of equal pairs among the ratings of a unit, averaged over units.

    Fleiss (1971), P-bar, for units with any number of ratings from two on; units have equal
    weight. In [0, 1], 1 is full agreement; not corrected for chance. Undefined without a unit of
    two ratings.
    """
    sizes = ratings.unit_sizes
    if not np.any(sizes >= 2):
        return Estimate(None, reason="no unit has two ratings or more")
    values, codes = np.unique(ratings.values, return_inverse=True)
    cells, counts = np.unique(ratings.units * len(values) + codes, return_counts=True)
    equal = np.bincount(
        cells // len(values), weights=counts * (counts - 1.0), minlength=ratings.n_units
    )
    is_paired = sizes >= 2
    shares = equal[is_paired] / (sizes[is_paired] * (sizes[is_paired] - 1.0))
    return Estimate(float(shares.mean()), n=len(shares))


@dataclass(frozen=True, eq=False)
class KappaPairs:
    """Weighted kappa of each pair of raters who share enough units.

    first, second: int64 (pairs,), rater codes. kappas: float64 (pairs,), NaN for a pair who both
    always gave the same value.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    kappas: NDArray[np.float64]


def mean_weighted_kappa(
    ratings: Ratings, weights: Weights = "quadratic", *, min_shared: int = 2
) -> Estimate:
    """Mean over the n pairs of raters who have a kappa (`weighted_kappas`), with equal weight."""
    kappas = weighted_kappas(ratings, weights, min_shared=min_shared).kappas
    defined = kappas[~np.isnan(kappas)]
    if len(defined):
        return Estimate(float(defined.mean()), n=len(defined), unit="pairs of raters")
    reason = "all raters who share units always gave the same value"
    return Estimate(
        None, n=0, reason=reason if len(kappas) else f"no two raters share {min_shared} units"
    )


def weighted_kappas(
    ratings: Ratings, weights: Weights = "quadratic", *, min_shared: int = 2
) -> KappaPairs:
    """Cohen's weighted kappa of each pair of raters who share `min_shared` units or more.

    Cohen (1968): 1 - sum of w * observed / sum of w * expected, over the two raters' shared
    units; w is the squared (quadratic) or absolute (linear) difference of the values, or 1 for
    any two different values (nominal: Cohen's kappa of 1960). It is meaningful only where each
    rater code stands for one person.
    """
    if weights not in get_args(Weights):
        raise RatingsError(
            f"unknown weights '{weights}'; choose one of {', '.join(get_args(Weights))}"
        )
    pairs = _SharedRatings.of(ratings, min_shared)
    kappas = pairs.kappas(np.ones(ratings.n_units), weights)
    return KappaPairs(pairs.names // ratings.n_raters, pairs.names % ratings.n_raters, kappas)


def resampled_kappas(
    ratings: Ratings,
    weights: Weights,
    unit_counts: Iterable[NDArray[np.int64]],
    *,
    min_shared: int = 2,
) -> Iterator[NDArray[np.float64]]:
    """`weighted_kappas` with each unit taken as often as each of `unit_counts`, (units,), says.

    For each draw float64 (pairs,), in the order of the pairs of `weighted_kappas`; NaN where a draw
    leaves a pair without units, or both with one value.
    """
    pairs = _SharedRatings.of(ratings, min_shared)
    for counts in unit_counts:
        yield pairs.kappas(counts.astype(np.float64), weights)


@dataclass(frozen=True, eq=False)
class _SharedRatings:
    """The units that two raters share, a row for each pair of raters and unit.

    names: (pairs,), rater codes as first * raters + second. pair, unit: (rows,). first, second:
    codes of `values` that the pair's raters gave, (rows,).
    """

    values: NDArray[np.float64]
    names: NDArray[np.int64]
    pair: NDArray[np.int64]
    unit: NDArray[np.int64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]

    @classmethod
    def of(cls, ratings: Ratings, min_shared: int) -> _SharedRatings:
        """Of the pairs of raters who share `min_shared` units or more."""
        values, codes = np.unique(ratings.values, return_inverse=True)
        pair, unit, first, second = _rater_pairs(ratings, codes)
        names, pair, counts = np.unique(pair, return_inverse=True, return_counts=True)
        enough = counts >= max(1, min_shared)
        selected = enough[pair]
        pair = (np.cumsum(enough) - 1)[pair[selected]]
        return cls(values, names[enough], pair, unit[selected], first[selected], second[selected])

    def kappas(self, counts: NDArray[np.float64], weights: Weights) -> NDArray[np.float64]:
        """The kappas (pairs,) with each unit taken `counts` times, (units,)."""
        rows = counts[self.unit]
        n = np.bincount(self.pair, weights=rows, minlength=len(self.names)).astype(np.float64)
        kappas = np.full(len(n), np.nan)
        with np.errstate(invalid="ignore", divide="ignore"):
            observed, expected = _disagreements(
                self.pair, self.values, self.first, self.second, rows, n, weights
            )
        defined = expected > 0
        kappas[defined] = 1.0 - observed[defined] / expected[defined]
        return kappas


def _rater_pairs(
    ratings: Ratings, codes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """For each unit and each pair of its raters: the pair's code, the unit, and the value codes of
    both."""
    order = np.lexsort((ratings.raters, ratings.units))
    units, raters, codes = ratings.units[order], ratings.raters[order], codes[order]
    first, second = pairs_within(units)
    differ = raters[first] != raters[second]
    first, second = first[differ], second[differ]
    names = raters[first] * ratings.n_raters + raters[second]
    return names, units[first], codes[first], codes[second]


def _disagreements(
    pair: NDArray[np.int64],
    values: NDArray[np.float64],
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    counts: NDArray[np.float64],
    n: NDArray[np.float64],
    weights: Weights,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean observed and expected weight of each pair of raters, shapes (pairs,).

    counts: how often each row is taken, (rows,); n: their sums by pair.
    """
    differences = np.abs(values[first] - values[second])
    if weights == "quadratic":
        differences **= 2
    elif weights == "nominal":
        differences = (differences > 0).astype(np.float64)
    observed = np.bincount(pair, weights=counts * differences, minlength=len(n)) / n
    expected = np.zeros(len(n))
    step = max(1, BLOCK_CELLS // max(1, 2 * len(values)))
    for start in range(0, len(n), step):
        in_block = (pair >= start) & (pair < start + step)
        size = min(step, len(n) - start)
        a, b = (
            np.bincount(
                (pair[in_block] - start) * len(values) + value_codes[in_block],
                weights=counts[in_block],
                minlength=size * len(values),
            ).reshape(size, len(values))
            / n[start : start + size, None]
            for value_codes in (first, second)
        )
        expected[start : start + size] = _expected(values, a, b, weights)
    return observed, expected


def _expected(
    values: NDArray[np.float64],
    a: NDArray[np.float64],
    b: NDArray[np.float64],
    weights: Weights,
) -> NDArray[np.float64]:
    """Expected weight of independent draws from a and b, distributions (pairs, V) over values."""
    if weights == "nominal":
        return np.asarray(1.0 - (a * b).sum(axis=1))
    if weights == "quadratic":
        means = a @ values, b @ values
        spread = [
            (share * (values - mean[:, None]) ** 2).sum(axis=1)
            for share, mean in zip((a, b), means, strict=True)
        ]
        return np.asarray(spread[0] + spread[1] + (means[0] - means[1]) ** 2)
    # |x - y| is the sum of the gaps between neighbouring values that lie between x and y.
    below_a, below_b = np.cumsum(a, axis=1)[:, :-1], np.cumsum(b, axis=1)[:, :-1]
    apart = below_a * (1 - below_b) + below_b * (1 - below_a)
    return np.asarray(apart @ np.diff(values))
