"""Halo: do raters answer one question about a candidate by their answer to another?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from concord.arrays import Floats, Integers
from concord.inference import Estimate, Scale, resample_counts, resampled_estimate
from concord.reliability.ratings import Ratings, RatingsError, from_0_to_1

ALL_EQUAL = "all ratings on one of the criteria are equal"
TOO_FEW = "no candidate has two raters who rated both criteria"


@dataclass(frozen=True)
class Halo:
    """The correlation of two criteria, in the same ratings.

    within: of one rater's values of a candidate. between: of one rater's value on the first
    criterion and another rater's value on the second. excess: within minus between; above 0, a
    rater's values resemble each other more than what the raters share explains. Each is in [-1, 1],
    excess in [-2, 2]. ratings: how many values there are on each criterion, of `units` candidates.
    """

    within: Estimate
    between: Estimate
    excess: Estimate
    ratings: int
    units: int


def halo(first: Ratings, second: Ratings, *, seed: int = 0, draws: int = 1000) -> Halo:
    """The correlation between two criteria within raters, and between raters.

    Of all values that a rater gave on both criteria to a candidate which another rater rated on
    both, with candidate u, rater r, values x and y, and n_u raters:

        within  = mean over (u, r) of (x_ur - mean x) (y_ur - mean y) / (sd x sd y)
        between = mean over (u, r) of (x_ur - mean x) (m_ur - mean y) / (sd x sd y)

    where m_ur is the mean of y_us over the other raters s. Both have the same means and standard
    deviations, so that they differ by the covariance only. If the errors of different raters are
    independent, `between` has no error in common, and `within` has what a rater's two values share
    beyond the candidate: halo, and a rater's leniency on both criteria (compare Viswesvaran,
    Schmidt and Ones 2005, who hold correlations within raters against those between raters).

    Units and raters are matched by their names. Intervals are by resampling passages (the clusters
    of `first`; `resampled_interval`). Undefined, with the reason, without two raters of a unit,
    and where all values of a criterion are equal. Raises RatingsError for fewer than one draw.
    """
    if draws < 1:
        raise RatingsError(f"draws must be 1 or more, not {draws}")
    x, y, units, clusters = _both(first, second)
    sizes = np.bincount(units)
    reason = "" if len(x) else TOO_FEW
    x, y = from_0_to_1(x), from_0_to_1(y)
    if len(x) and not (x.any() and y.any()):
        reason = ALL_EQUAL
    if reason:
        undefined = Estimate(None, reason=reason)
        return Halo(undefined, undefined, undefined, ratings=len(x), units=len(sizes))
    x, y = ((each - each.mean()) / each.std() for each in (x, y))
    others = (np.bincount(units, weights=y)[units] - y) / (sizes[units] - 1)
    # Sums of a cluster: from those of a resample follow its correlations.
    parts = np.stack([np.ones_like(x), x, y, x * x, y * y, x * y, x * others])
    sums = np.stack([np.bincount(clusters, weights=part) for part in parts])
    values = _correlations(sums.sum(axis=1)[:, None])[:, 0]
    n_clusters = sums.shape[1]
    counts = resample_counts(np.random.default_rng(seed), draws, n_clusters).astype(np.float64)
    scales: tuple[Scale, ...] = ("correlation", "correlation", "difference")
    within, between, excess = (
        resampled_estimate(drawn, value, n_clusters, scale, unit=first.cluster_unit)
        for value, drawn, scale in zip(
            values.tolist(), _correlations(sums @ counts.T), scales, strict=True
        )
    )
    return Halo(within, between, excess, ratings=len(x), units=len(sizes))


def _correlations(sums: Floats) -> Floats:
    """Within, between and their difference, (3, n), of sums, (7, n), of values with variance 1;
    NaN without variance."""
    n, x, y, xx, yy, xy, x_others = sums
    variances = (xx / n - (x / n) ** 2) * (yy / n - (y / n) ** 2)
    scale = np.sqrt(np.where(variances > 1e-12, variances, np.nan))
    within = (xy / n - x * y / n**2) / scale
    between = (x_others / n - x * y / n**2) / scale
    return np.stack([within, between, within - between])


def _both(first: Ratings, second: Ratings) -> tuple[Floats, Floats, Integers, Integers]:
    """The values on both criteria, with codes of units and clusters."""
    names = first.unit_names, first.rater_names
    values = {
        (second.unit_names[unit], second.rater_names[rater]): value
        for unit, rater, value in zip(second.units, second.raters, second.values, strict=True)
    }
    rows = [
        (value, values[key], unit)
        for unit, rater, value in zip(first.units, first.raters, first.values, strict=True)
        if (key := (names[0][unit], names[1][rater])) in values
    ]
    x, y, found = np.array(rows, dtype=np.float64).reshape(-1, 3).T
    units = found.astype(np.int64)
    shared = np.bincount(units)[units] >= 2
    x, y, units = x[shared], y[shared], units[shared]
    clusters = units if first.clusters is None else first.clusters[units]
    codes = [np.unique(one, return_inverse=True)[1].reshape(-1) for one in (units, clusters)]
    return x, y, codes[0], codes[1]
