"""Gwet's AC1 and AC2: agreement corrected for chance that does not collapse at skewed ratings."""

from __future__ import annotations

from typing import Literal

import numpy as np

from concord.arrays import Floats
from concord.inference import Estimate
from concord.reliability.ratings import Ratings, check_option

# The most points of a scale whose values are counted one by one, and cells of units by values.
MAX_POINTS = 1000
MAX_CELLS = 20_000_000
GwetWeights = Literal["nominal", "ordinal", "linear", "quadratic"]


def gwet_ac2(
    ratings: Ratings, weights: GwetWeights = "ordinal", *, scale: tuple[float, float] | None = None
) -> Estimate:
    """Gwet's AC2 (2014, Handbook of Inter-Rater Reliability, section 5.5); AC1 for "nominal".

    (pa - pe) / (1 - pe), with weights w of pairs of values. pa: over units with two ratings or
    more, the mean weight of pairs of ratings. pe: sum of w / (q (q - 1)) times the sum of
    p_k (1 - p_k), with the q values of the scale and p_k their shares, averaged over units. scale:
    (lowest, highest); its values are the whole numbers between, also those that nobody gave, or, of
    other ratings, its ends and the values that occur. None: the values that occur.

    At most 1; 0 is agreement by chance. Ratings may be missing. Where almost all ratings are equal,
    alpha and kappa fall to 0 although raters agree, and AC2 does not: show both. Undefined without
    a unit of two ratings, where only one value occurs, and for more than MAX_POINTS values or
    MAX_CELLS units by values. Raises RatingsError for unknown weights.
    """
    check_option("weights", weights, GwetWeights)
    values = _scale_values(ratings.values, scale)
    codes, q = np.searchsorted(values, ratings.values), len(values)
    sizes = ratings.unit_sizes
    paired = sizes >= 2
    if not paired.any():
        return Estimate(None, reason="no unit has two ratings or more")
    if len(np.unique(ratings.values)) < 2:
        return Estimate(None, reason="all ratings are equal")
    if q > MAX_POINTS + 1 or ratings.n_units * q > MAX_CELLS:
        return Estimate(None, reason=f"there are {q:,} different values")
    table = np.zeros((ratings.n_units, q))
    np.add.at(table, (ratings.units, codes), 1.0)
    matrix = _weight_matrix(values, weights)
    counts, n = table[paired], sizes[paired].astype(np.float64)
    weighted = counts @ matrix
    observed = float(np.mean(np.sum(counts * (weighted - 1), axis=1) / (n * (n - 1))))
    rated = sizes > 0
    shares = np.mean(table[rated] / sizes[rated][:, None], axis=0)
    expected = float(matrix.sum() / (q * (q - 1)) * np.sum(shares * (1 - shares)))
    return Estimate((observed - expected) / (1 - expected), n=int(paired.sum()))


def _scale_values(given: Floats, scale: tuple[float, float] | None) -> Floats:
    """The values of a scale and those that occur, ascending."""
    if scale is None:
        return np.unique(given)
    ends = np.array(scale, dtype=np.float64)
    are_whole = not (given % 1).any() and not (ends % 1).any()
    inside = np.arange(ends[0], ends[1]) if are_whole and np.ptp(ends) <= MAX_POINTS else ends
    return np.unique(np.concatenate([given, inside, ends]))


def _weight_matrix(values: Floats, weights: GwetWeights) -> Floats:
    """Weights (q, q), 1 for equal values and less the farther two are apart."""
    q = len(values)
    if weights == "nominal":
        return np.eye(q)
    if weights == "ordinal":
        ranks = np.abs(np.arange(q)[:, None] - np.arange(q))
        # Pairs of neighbouring values between the two, as a share of all pairs.
        return np.asarray(1 - ranks * (ranks + 1) / (q * (q - 1)))
    gaps = np.abs(values[:, None] - values) / (values[-1] - values[0])
    return np.asarray(1 - (gaps if weights == "linear" else gaps**2))
