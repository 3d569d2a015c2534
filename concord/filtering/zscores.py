"""Ratings' z-scores within their unit, and KPQA's filter of ratings by them.

Lee et al. (NAACL 2021), Section 4.2: among the ten ratings of a sample, those whose z-score is
higher than 1 are noise; up to five of them are removed in the order of the z-score. "z-score" is
read as |z|; `one_sided` reads it as z, so that only ratings above the mean can go.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from concord.reliability import Ratings, RatingsError

# Smaller differences are rounding errors and would break ties differently on other machines.
DECIMALS = 12


def unit_zscores(ratings: Ratings, ddof: int = 0) -> NDArray[np.float64]:
    """Each rating's z-score within its unit, shape (n,).

    ddof 0 uses the population standard deviation, 1 the sample's. NaN where a unit has fewer than
    two ratings, or where all of them are equal.
    """
    sizes = ratings.unit_sizes
    low = _extreme(np.minimum, ratings, np.inf)
    varies = _extreme(np.maximum, ratings, -np.inf) > low
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.bincount(ratings.units, ratings.values, ratings.n_units) / sizes
        deviations = ratings.values - means[ratings.units]
        squares = np.bincount(ratings.units, deviations**2, ratings.n_units)
        spread = np.sqrt(squares / (sizes - ddof))
        return np.where(varies[ratings.units], deviations / spread[ratings.units], np.nan)


def max_zscore(size: int | NDArray[np.int64], ddof: int = 0) -> Any:
    """The largest |z| that one of `size` ratings can have: sqrt((size - 1)(size - ddof) / size).

    That is sqrt(size - 1) with the population standard deviation and (size - 1) / sqrt(size)
    with the sample's, reached when all other ratings are equal.
    """
    n = np.maximum(np.asarray(size, dtype=np.float64), 1.0)
    return np.sqrt((n - 1) * np.maximum(n - ddof, 0.0) / n)


def threshold_notice(ratings: Ratings, threshold: float, ddof: int = 0) -> str | None:
    """A notice of units in which no |z| can exceed `threshold`; None if there are none.

    Units of fewer than two ratings have no z-scores and are not counted.
    """
    sizes = ratings.unit_sizes
    sizes = sizes[sizes >= 2]
    if not len(sizes):
        return "no unit has two ratings or more, so no rating has a z-score"
    out_of_reach = sizes[np.round(max_zscore(sizes, ddof), DECIMALS) <= threshold]
    if not len(out_of_reach):
        return None
    max_ratings = int(out_of_reach.max())
    bound = float(max_zscore(max_ratings, ddof))
    which = f"{len(out_of_reach):,} of {len(sizes):,}"
    if len(out_of_reach) == len(sizes):
        which = "all"
    return (
        f"|z| among {max_ratings} ratings is at most {bound:.4g}, so the threshold "
        f"{threshold:g} can never remove any in {which} units"
    )


def filter_by_zscore(
    ratings: Ratings,
    threshold: float = 1.0,
    at_most: int = 5,
    ddof: int = 0,
    one_sided: bool = False,
) -> NDArray[np.bool_]:
    """KPQA's filter: a mask of shape (n,), True for the ratings kept.

    In each unit, remove up to `at_most` ratings whose |z| (z if `one_sided`), rounded to 12
    decimals, is strictly above `threshold`: largest first, in stored order where equal. Units of
    equal ratings, or of one, keep all.

    The maximum of |z| grows with the number of ratings (`max_zscore`). Raises RatingsError where
    no unit can exceed the threshold; `threshold_notice` counts the units that cannot.
    """
    check_zscore_options(threshold, at_most, ddof)
    sizes = ratings.unit_sizes
    largest = int(sizes.max(initial=0))
    if largest and np.round(max_zscore(largest, ddof), DECIMALS) <= threshold:
        notice = threshold_notice(ratings, threshold, ddof)
        raise RatingsError(f"{notice}" if notice else "the threshold can never be exceeded")
    return apply_zscores(ratings, threshold, at_most, ddof, one_sided)


def apply_zscores(
    ratings: Ratings, threshold: float, at_most: int, ddof: int, one_sided: bool
) -> NDArray[np.bool_]:
    """`filter_by_zscore` without its checks."""
    z = unit_zscores(ratings, ddof)
    size = np.round(z if one_sided else np.abs(z), DECIMALS)
    noisy = np.flatnonzero(size > threshold)  # NaN is above nothing
    # lexsort is stable: equal |z| stay in stored order.
    noisy = noisy[np.lexsort((-size[noisy], ratings.units[noisy]))]
    units = ratings.units[noisy]
    rank = np.arange(len(noisy)) - np.searchsorted(units, units)
    keep = np.ones(len(ratings), dtype=np.bool_)
    keep[noisy[rank < at_most]] = False
    return keep


def check_zscore_options(threshold: float, at_most: int, ddof: int) -> None:
    """Raise RatingsError for an invalid option of the z-score filter."""
    if not (np.isfinite(threshold) and threshold > 0):
        raise RatingsError(f"the z-score threshold must be above 0, not {threshold:g}")
    if at_most < 1:
        raise RatingsError(f"at_most must be 1 or more, not {at_most}")
    if ddof not in (0, 1):
        raise RatingsError(f"ddof must be 0 (population) or 1 (sample), not {ddof}")


def _extreme(ufunc: np.ufunc, ratings: Ratings, start: float) -> NDArray[np.float64]:
    extremes = np.full(ratings.n_units, start)
    ufunc.at(extremes, ratings.units, ratings.values)
    return extremes
