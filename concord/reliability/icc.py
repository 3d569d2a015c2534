"""The intraclass correlation, one-way random effects."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from concord.reliability.figures import ReliabilityFigure
from concord.reliability.ratings import Ratings


@dataclass(frozen=True)
class IntraclassCorrelation:
    """ICC(1), of a single rating, and ICC(1,k), of the mean of `raters` ratings.

    raters: the k of the formulas, which for unequal numbers of ratings is their k0.
    """

    single: ReliabilityFigure
    average: ReliabilityFigure
    raters: float | None


def intraclass_correlation(ratings: Ratings) -> IntraclassCorrelation:
    """ICC(1) and ICC(1,k) over the units with two ratings or more; values are interval.

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
        undefined = ReliabilityFigure(
            value=None, reason="fewer than two units have two ratings or more"
        )
        return IntraclassCorrelation(undefined, undefined, raters=None)
    k0 = float((total - (k * k).sum() / total) / (n - 1))
    if np.all(values == values[0]):
        undefined = ReliabilityFigure(value=None, reason=f"every rating is {values[0]:g}")
        return IntraclassCorrelation(undefined, undefined, k0)
    centred = values - values.mean()
    means = np.bincount(units, weights=centred) / k
    between = float((k * means**2).sum() / (n - 1))
    within = float(((centred - means[units]) ** 2).sum() / (total - n))
    single = ReliabilityFigure((between - within) / (between + (k0 - 1) * within))
    if between <= within * 1e-12:
        return IntraclassCorrelation(
            single, ReliabilityFigure(value=None, reason="all units have the same mean"), k0
        )
    return IntraclassCorrelation(single, ReliabilityFigure((between - within) / between), k0)
