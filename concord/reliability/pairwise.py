"""Agreement between pairs of ratings and pairs of raters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy

from concord.arrays import Floats, Integers
from concord.inference import Estimate
from concord.reliability.coincidences import pairs_within
from concord.reliability.ratings import Ratings, check_option

Weights = Literal["nominal", "quadratic", "linear"]
MAX_PAIRS = 2_000_000
"""Pairs of ratings of one unit, beyond which a mean kappa would take minutes."""


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


def mean_weighted_kappa(
    ratings: Ratings, weights: Weights = "quadratic", *, min_shared: int = 2
) -> Estimate:
    """Mean over the n pairs of raters who have a kappa (`RaterPairs.kappas`), with equal weight.

    Undefined where no pair has one, and for more than MAX_PAIRS pairs of ratings.
    """
    sizes = ratings.unit_sizes
    if (pairs := int((sizes * (sizes - 1)).sum() // 2)) > MAX_PAIRS:
        return Estimate(None, n=0, reason=f"there are {pairs:,} pairs of ratings")
    kappas = RaterPairs.of(ratings, min_shared).kappas(weights)
    defined = kappas[~np.isnan(kappas)]
    if len(defined):
        return Estimate(float(defined.mean()), n=len(defined), unit="pairs of raters")
    reason = "all raters who share units always gave the same value"
    return Estimate(
        None, n=0, reason=reason if len(kappas) else f"no two raters share {min_shared} units"
    )


@dataclass(frozen=True, eq=False)
class RaterPairs:
    """The pairs of raters who share enough units, and a row for each pair and unit that it shares.

    first, second: int64 (pairs,), rater codes. pair, unit: int64 (rows,). values: float64 (V,),
    ascending. codes: int64 (2, rows), what the pair's raters gave.
    """

    first: Integers
    second: Integers
    pair: Integers
    unit: Integers
    values: Floats
    codes: Integers

    @classmethod
    def of(cls, ratings: Ratings, min_shared: int = 2) -> RaterPairs:
        """Of the pairs of raters who share `min_shared` units or more."""
        order = np.lexsort((ratings.raters, ratings.units))
        units, raters = ratings.units[order], ratings.raters[order]
        rows = np.stack(pairs_within(units))
        rows = rows[:, raters[rows[0]] != raters[rows[1]]]
        first, second = raters[rows]
        names, pair, counts = np.unique(
            first * ratings.n_raters + second, return_inverse=True, return_counts=True
        )
        enough = counts >= max(1, min_shared)
        rows, pair = rows[:, enough[pair]], (np.cumsum(enough) - 1)[pair[enough[pair]]]
        values, codes = np.unique(ratings.values, return_inverse=True)
        ends = np.divmod(names[enough], max(1, ratings.n_raters))
        return cls(*ends, pair, units[rows[0]], values, codes[order][rows])

    def kappas(self, weights: Weights = "quadratic", unit_counts: Integers | None = None) -> Floats:
        """Cohen's weighted kappa of each pair, float64 (pairs,); NaN for two raters who both always
        gave the same value.

        Cohen (1968): 1 - sum of w * observed / sum of w * expected, over the two raters' shared
        units; w is the squared (quadratic) or absolute (linear) difference of the values, or 1 for
        any two different values (nominal: Cohen's kappa of 1960). It is meaningful only where each
        rater code stands for one person. unit_counts: (units,), how often each unit is taken, as in
        a resample; NaN for a pair without any. Raises RatingsError for unknown weights.
        """
        check_option("weights", weights, Weights)
        rows = np.ones(len(self.unit))
        if unit_counts is not None:
            rows = unit_counts[self.unit].astype(np.float64)

        def total(of_rows: Floats) -> Floats:
            return np.bincount(self.pair, rows * of_rows, len(self.first)).astype(np.float64)

        x, y = (self.values - self.values.mean() if len(self.values) else self.values)[self.codes]
        n = total(np.ones(len(rows)))
        unequal = n * n - self._equal(rows)
        if weights == "nominal":
            observed, expected = total(x != y), unequal
        elif weights == "linear":
            observed, expected = total(np.abs(x - y)), self._distances(rows)
        else:
            observed = total((x - y) ** 2)
            expected = n * total(x * x + y * y) - 2 * total(x) * total(y)
        empty = np.full(len(n), np.nan)
        return np.asarray(1.0 - np.divide(n * observed, expected, out=empty, where=unequal > 0))

    def _equal(self, rows: Floats) -> Floats:
        """The number of equal values of a pair, over all combinations of its rows, (pairs,)."""
        shape = len(self.first), len(self.values)
        one, other = (
            scipy.sparse.csr_array((rows, (self.pair, codes)), shape=shape) for codes in self.codes
        )
        return np.asarray(one.multiply(other).sum(axis=1), dtype=np.float64)

    def _distances(self, rows: Floats) -> Floats:
        """The sum of |x - y| over all combinations of a pair's rows, (pairs,): that of the gaps
        between neighbouring values that lie between x and y."""
        pair, codes = np.tile(self.pair, 2), self.codes.ravel()
        order = np.lexsort((codes, pair))
        pair, values = pair[order], self.values[codes[order]]
        n = np.bincount(self.pair, rows, len(self.first))
        before = np.cumsum(n) - n
        own = np.stack([np.concatenate([rows, 0 * rows]), np.concatenate([0 * rows, rows])])
        # How many values of each rater are not above the gap; at the end of a pair, all are.
        below = np.cumsum(own[:, order], axis=1) - before[pair]
        apart = below[0] * (n[pair] - below[1]) + below[1] * (n[pair] - below[0])
        gaps = np.diff(values, append=0.0)
        return np.bincount(pair, apart * gaps, len(n)).astype(np.float64)
