"""The intraclass correlation, one-way random effects."""

from __future__ import annotations

from typing import Literal

import numpy as np

from concord.arrays import Floats
from concord.inference import Estimate
from concord.reliability.ratings import Ratings


def intraclass_correlation(ratings: Ratings, of: Literal["rating", "mean"] = "rating") -> Estimate:
    """ICC(1), of a single rating, or ICC(1,k), of the mean of a unit's k ratings.

    Over the n units with two ratings or more; values are interval.

    Shrout and Fleiss (1979), case 1: units may have different raters. MSB and MSW are the mean
    squares between and within n units of k_i ratings, N in total, and (Donner 1986)

        k0 = (N - sum of k_i^2 / N) / (n - 1)
        ICC(1) = (MSB - MSW) / (MSB + (k0 - 1) MSW)        ICC(1,k) = (MSB - MSW) / MSB.

    At most 1; below 0 where units differ less than by chance. With equal k, k0 = k. Undefined for
    fewer than two units, and where all ratings (for ICC(1,k), all unit means) are equal.
    """
    sums = icc_sums(ratings)
    n, first = sums.shape[1], ratings.values[ratings.pairable][:1]
    if n < 2:
        return Estimate(None, n=n, reason="fewer than two units have two ratings or more")
    if np.all(ratings.values[ratings.pairable] == first):
        return Estimate(None, n=n, reason=f"every rating is {first[0]:g}")
    k0, between, within = (float(one) for one in _mean_squares(sums.sum(axis=1)))
    if of == "rating":
        return Estimate((between - within) / (between + (k0 - 1) * within), n=n)
    if between <= within * 1e-12:
        return Estimate(None, n=n, reason="all units have the same mean")
    return Estimate((between - within) / between, n=n)


def icc_sums(ratings: Ratings) -> Floats:
    """The statistics, (6, n), of each unit with two ratings or more, of whose totals ICC(1) is a
    function (`icc_of_sums`): 1, k, k^2, and of values less their mean the sum, its square / k, and
    the sum of squares."""
    paired = ratings.keep(ratings.pairable)
    values = paired.values - (paired.values.mean() if len(paired) else 0.0)
    parts = (None, values, values**2)
    k, sums, squares = (np.bincount(paired.units, part, ratings.n_units) for part in parts)
    own = np.stack([np.ones(len(k)), k, k**2, sums, sums**2 / np.maximum(k, 1), squares])
    return np.asarray(own[:, k > 0])


def icc_of_sums(totals: Floats) -> Floats:
    """ICC(1) of totals of `icc_sums`, (6, ...); NaN where nothing varies."""
    k0, between, within = _mean_squares(totals)
    variance = between + (k0 - 1) * within
    undefined = np.full(variance.shape, np.nan)
    return np.asarray(np.divide(between - within, variance, out=undefined, where=variance > 0))


def _mean_squares(totals: Floats) -> Floats:
    """k0, and the mean squares between and within units."""
    n, ratings, squared, total, between, squares = totals
    with np.errstate(invalid="ignore", divide="ignore"):
        k0 = (ratings - squared / ratings) / (n - 1)
        of_units = (between - total**2 / ratings) / (n - 1)
        return np.stack([k0, of_units, (squares - between) / (ratings - n)])
