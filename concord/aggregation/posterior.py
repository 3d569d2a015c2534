"""What a model of raters believes of each unit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from concord.reliability import Ratings, RatingsError

# Cells of the raters' confusion matrices together: 400 MB of float64.
MOST_CELLS = 50_000_000


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
        """The most probable value of each unit, shape (n_units,); the lowest where equal."""
        known = ~np.isnan(self.probabilities).any(axis=1)
        found = np.full(len(self.probabilities), np.nan)
        if len(self.categories) and known.any():
            found[known] = self.categories[np.argmax(self.probabilities[known], axis=1)]
        return found


@dataclass(frozen=True, eq=False)
class Labels:
    """Ratings as labels of categories, ready to be summed over units and raters.

    units, raters, codes: int64 (n,); `units` numbers only the units that have ratings, `rated`
    names them. by_unit: sparse (units, n), sums over ratings.
    """

    categories: NDArray[np.float64]
    rated: NDArray[np.int64]
    units: NDArray[np.int64]
    raters: NDArray[np.int64]
    codes: NDArray[np.int64]
    n_raters: int
    by_unit: scipy.sparse.csr_array

    @classmethod
    def of(cls, ratings: Ratings) -> Labels:
        """Raises RatingsError where raters x categories x categories is too large to hold."""
        categories, codes = np.unique(ratings.values, return_inverse=True)
        cells = ratings.n_raters * len(categories) ** 2
        if cells > MOST_CELLS:
            raise RatingsError(
                f"{len(categories)} different values and {ratings.n_raters} raters are too many "
                f"for a model of categories; take a mean instead"
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
        """A posterior of all units from the rows of those that have ratings."""
        full = np.full((n_units, len(self.categories)), np.nan)
        full[self.rated] = probabilities
        return Posterior(self.categories, full)


def normalised(log_weights: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Rows of exp(log_weights) that sum to 1, and the sum of the logarithms of what they were."""
    largest = log_weights.max(axis=1, keepdims=True)
    weights = np.exp(log_weights - largest)
    totals = weights.sum(axis=1, keepdims=True)
    return weights / totals, float((np.log(totals) + largest).sum())
