"""Gold scores that are means of some kind.

Each function returns float64 of shape (n_units,), on the scale of the ratings; NaN for a unit
without ratings.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from concord.reliability import Ratings, RatingsError


def mean(ratings: Ratings) -> NDArray[np.float64]:
    """The mean of each unit's ratings: the gold score of MOCHA and, after its filter, of KPQA."""
    return _mean(ratings.units, ratings.values, ratings.n_units)


def median(ratings: Ratings) -> NDArray[np.float64]:
    """The median of each unit's ratings; of an even number, the mean of the middle two."""
    values, starts, sizes = _sorted_within(ratings)
    some = sizes > 0
    low, high = starts + (sizes - 1) // 2, starts + sizes // 2
    found = np.full(ratings.n_units, np.nan)
    found[some] = values[low[some]] / 2 + values[high[some]] / 2
    return found


def trimmed_mean(ratings: Ratings, proportion: float = 0.1) -> NDArray[np.float64]:
    """The mean without the lowest and the highest ratings of each unit.

    Of n ratings floor(proportion * n) go at either end, `proportion` at least 0 and below 0.5;
    with fewer than 1 / proportion ratings that is none, and the plain mean. Raises RatingsError
    for another proportion.
    """
    if not 0 <= proportion < 0.5:
        raise RatingsError(f"a proportion of at least 0 and below 0.5 is needed, not {proportion}")
    values, starts, sizes = _sorted_within(ratings)
    units = np.repeat(np.arange(len(sizes)), sizes)
    place = np.arange(len(values)) - starts[units]
    # 0.1 * 30 is a little over 3 and 0.29 * 100 a little under 29: what was meant is 3 and 29.
    cut = np.floor(np.round(proportion * sizes, 9)).astype(np.int64)[units]
    kept = (place >= cut) & (place < sizes[units] - cut)
    return _mean(units[kept], values[kept], ratings.n_units)


def zscore_mean(ratings: Ratings) -> NDArray[np.float64]:
    """The mean of each unit's ratings once every worker's are put on one footing.

    A rating becomes its z among all ratings of its worker (population standard deviation), so
    that a stern and a mild worker who order units alike count alike; z's are averaged by unit,
    and z turned back as m + s * z with m and s the mean and standard deviation of all ratings.
    Scores may so lie a little beyond the scale's ends. A worker whose ratings are all equal, or
    who gave one, has z = 0. Where workers rated different units, a worker given the better units
    is taken for a mild one: use it where units were dealt at random.
    """
    n = ratings.n_raters
    if not len(ratings):
        return np.full(ratings.n_units, np.nan)
    centred = ratings.values - _mean(ratings.raters, ratings.values, n)[ratings.raters]
    spread = np.sqrt(_mean(ratings.raters, centred**2, n))[ratings.raters]
    level, scale = ratings.values.mean(), ratings.values.std()
    rounding = 1e-12 * max(1.0, float(np.abs(ratings.values).max()))
    z = np.divide(centred, spread, out=np.zeros(len(ratings)), where=spread > rounding)
    return np.asarray(level + scale * _mean(ratings.units, z, ratings.n_units))


def _mean(codes: NDArray[np.int64], values: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    counts = np.bincount(codes, minlength=n)
    found = np.full(n, np.nan)
    np.divide(np.bincount(codes, values, n), counts, out=found, where=counts > 0)
    return found


def _sorted_within(
    ratings: Ratings,
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Values sorted by unit and within it, where each unit begins, and its size."""
    sizes = ratings.unit_sizes
    order = np.lexsort((ratings.values, ratings.units))
    return ratings.values[order], np.cumsum(sizes) - sizes, sizes
