"""The intraclass correlation, one-way random effects."""

from __future__ import annotations

from typing import Literal

import numpy as np

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
    paired = ratings.keep(ratings.pairable)
    units, values = paired.units, paired.values
    _, units = np.unique(units, return_inverse=True)
    k = np.bincount(units).astype(np.float64)
    n, total = len(k), len(values)
    if n < 2:
        return Estimate(None, n=n, reason="fewer than two units have two ratings or more")
    if np.all(values == values[0]):
        return Estimate(None, n=n, reason=f"every rating is {values[0]:g}")
    k0 = float((total - (k * k).sum() / total) / (n - 1))
    centred = values - values.mean()
    means = np.bincount(units, weights=centred) / k
    between = float((k * means**2).sum() / (n - 1))
    within = float(((centred - means[units]) ** 2).sum() / (total - n))
    if of == "rating":
        return Estimate((between - within) / (between + (k0 - 1) * within), n=n)
    if between <= within * 1e-12:
        return Estimate(None, n=n, reason="all units have the same mean")
    return Estimate((between - within) / between, n=n)
