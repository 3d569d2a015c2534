"""Posterior probabilities of each unit's category."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from concord.reliability import Ratings, RatingsError

# Cells of all raters' confusion matrices: 400 MB of float64.
MAX_CELLS = 50_000_000


@dataclass(frozen=True, eq=False)
class Posterior:
    """The probability that a unit's true value is each of V categories.

    categories: float64 (V,), ascending, the values that occur. probabilities: float64
    (n_units, V), rows that sum to 1; NaN for a unit without ratings.
    """

    categories: NDArray[np.float64]
    probabilities: NDArray[np.float64]

    @property
    def expected(self) -> NDArray[np.float64]:
        """The expected value of each unit, shape (n_units,): a gold score on a numeric scale."""
        if not len(self.categories):
            return np.full(len(self.probabilities), np.nan)
        return np.asarray(self.probabilities @ self.categories)

    @property
    def labels(self) -> NDArray[np.float64]:
        """The most probable value of each unit, shape (n_units,); the lowest of several."""
        is_rated = ~np.isnan(self.probabilities).any(axis=1)
        labels = np.full(len(self.probabilities), np.nan)
        if len(self.categories) and is_rated.any():
            labels[is_rated] = self.categories[np.argmax(self.probabilities[is_rated], axis=1)]
        return labels


@dataclass(frozen=True, eq=False)
class CategoryLabels:
    """Ratings as categories, for sums over units and raters.

    units, raters, codes: int64 (n,). `units` counts only the units that have ratings; `rated` has
    their original codes. by_unit: sparse (units, n), sums over ratings.
    """

    categories: NDArray[np.float64]
    rated: NDArray[np.int64]
    units: NDArray[np.int64]
    raters: NDArray[np.int64]
    codes: NDArray[np.int64]
    n_raters: int
    by_unit: scipy.sparse.csr_array

    @classmethod
    def from_ratings(cls, ratings: Ratings) -> CategoryLabels:
        """Raises RatingsError where raters x categories x categories exceeds MAX_CELLS."""
        categories, codes = np.unique(ratings.values, return_inverse=True)
        cells = ratings.n_raters * len(categories) ** 2
        if cells > MAX_CELLS:
            raise RatingsError(
                f"{len(categories)} different values and {ratings.n_raters} raters are too many "
                f"for a model of categories; use a mean instead"
            )
        rated, units = np.unique(ratings.units, return_inverse=True)
        n = len(ratings)
        by_unit = scipy.sparse.csr_array((np.ones(n), (units, np.arange(n))), shape=(len(rated), n))
        return cls(categories, rated, units, ratings.raters, codes, ratings.n_raters, by_unit)

    @property
    def shares(self) -> NDArray[np.float64]:
        """The share of each category among each unit's ratings, (units, V)."""
        v = len(self.categories)
        counts = np.bincount(self.units * v + self.codes, minlength=len(self.rated) * v)
        table = counts.reshape(len(self.rated), v)
        return np.asarray(table / table.sum(axis=1, keepdims=True))

    def posterior(self, probabilities: NDArray[np.float64], n_units: int) -> Posterior:
        """The posterior of all units from the rows of the units that have ratings."""
        full = np.full((n_units, len(self.categories)), np.nan)
        full[self.rated] = probabilities
        return Posterior(self.categories, full)


def normalise_rows(log_weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """exp(log_weights) with each row divided by its sum, and the sum of the logarithms of the
    sums."""
    largest = log_weights.max(axis=1, keepdims=True)
    weights = np.exp(log_weights - largest)
    totals = weights.sum(axis=1, keepdims=True)
    return weights / totals, float((np.log(totals) + largest).sum())
