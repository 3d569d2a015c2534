"""Gold scores by mean, median, trimmed mean and z-score mean.

Each function returns float64 of shape (n_units,), on the scale of the ratings; NaN for a unit
without ratings.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from concord.reliability import Ratings, RatingsError
from concord.reliability.ratings import from_0_to_1


def mean(ratings: Ratings) -> NDArray[np.float64]:
    """The mean of each unit's ratings: the gold score of MOCHA and, after its filter, of KPQA."""
    return _mean(ratings.units, ratings.values, ratings.n_units)


def median(ratings: Ratings) -> NDArray[np.float64]:
    """The median of each unit's ratings; for an even number, the mean of the middle two."""
    values, starts, sizes = _sorted_within(ratings)
    is_rated = sizes > 0
    low, high = starts + (sizes - 1) // 2, starts + sizes // 2
    medians = np.full(ratings.n_units, np.nan)
    medians[is_rated] = values[low[is_rated]] / 2 + values[high[is_rated]] / 2
    return medians


def trimmed_mean(ratings: Ratings, proportion: float = 0.1) -> NDArray[np.float64]:
    """The mean without the lowest and the highest ratings of each unit.

    Of n ratings, floor(proportion * n) are removed at each end. With fewer than 1 / proportion
    ratings none is removed. Raises RatingsError unless 0 <= proportion < 0.5.
    """
    if not 0 <= proportion < 0.5:
        raise RatingsError(f"proportion must be at least 0 and below 0.5, not {proportion}")
    values, starts, sizes = _sorted_within(ratings)
    units = np.repeat(np.arange(len(sizes)), sizes)
    rank = np.arange(len(values)) - starts[units]
    # In floating point 0.29 * 100 is a little under 29; rounding gives 29.
    n_cut = np.floor(np.round(proportion * sizes, 9)).astype(np.int64)[units]
    keep = (rank >= n_cut) & (rank < sizes[units] - n_cut)
    return _mean(units[keep], values[keep], ratings.n_units)


def zscore_mean(ratings: Ratings) -> NDArray[np.float64]:
    """The mean of each unit's ratings after each worker's ratings are standardised.

    A rating becomes its z-score among all ratings of its worker (population standard deviation),
    so strict and lenient workers have the same weight. The z-scores are averaged by unit and
    scaled back to m + s * z, with m and s the mean and standard deviation of all ratings. Scores
    may lie a little outside the scale. z is 0 for a worker whose ratings are all equal, or who
    gave only one. Use it where units were assigned at random: a worker who got the better units
    would look lenient.
    """
    n = ratings.n_raters
    if not len(ratings):
        return np.full(ratings.n_units, np.nan)
    rated = from_0_to_1(ratings.values)
    centred = rated - _mean(ratings.raters, rated, n)[ratings.raters]
    spread = np.sqrt(_mean(ratings.raters, centred**2, n))[ratings.raters]
    # What is smaller is rounding.
    z = np.divide(centred, spread, out=np.zeros(len(ratings)), where=spread > 1e-12)
    level, scale = ratings.values.mean(), ratings.values.std()
    return np.asarray(level + scale * _mean(ratings.units, z, ratings.n_units))


def _mean(codes: NDArray[np.int64], values: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    counts = np.bincount(codes, minlength=n)
    means = np.full(n, np.nan)
    np.divide(np.bincount(codes, values, n), counts, out=means, where=counts > 0)
    return means


def _sorted_within(
    ratings: Ratings,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Values sorted by unit and within it, where each unit begins, and its size."""
    sizes = ratings.unit_sizes
    order = np.lexsort((ratings.values, ratings.units))
    return ratings.values[order], np.cumsum(sizes) - sizes, sizes
