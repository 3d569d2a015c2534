"""Krippendorff's alpha: nominal, ordinal, interval and ratio, with missing ratings.

1 is perfect agreement, 0 agreement by chance, below 0 systematic disagreement. Units with fewer
than two ratings are left out. Equal to the package `krippendorff` (0.9.0) where both are defined.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import get_args

import numpy as np
import scipy

from concord.arrays import Floats
from concord.documents.agreement import Level as Level
from concord.inference import Estimate, resample_counts, resampled_estimate
from concord.reliability.coincidences import Coincidences, count_coincidences
from concord.reliability.ratings import Ratings, RatingsError, check_option

LEVELS: tuple[Level, ...] = get_args(Level)
# Cells of the largest temporary array: 4 MB of float64, which fit into a processor's cache.
BLOCK_CELLS = 500_000
# The package builds a table of units by distinct values and one of values by values. Beyond these
# bounds (continuous ratings) it would use too much memory.
MAX_CELLS = 5_000_000
MAX_VALUES = 1_000


def alpha(ratings: Ratings, level: Level = "ordinal", *, draws: int = 0, seed: int = 0) -> Estimate:
    """Krippendorff's alpha at a level of measurement, at most 1; n counts the ratings in it.

    With `draws`, its 95% interval by resampling clusters with replacement: ratings of one passage's
    candidates share its difficulty and its raters, so that resampling units would make the interval
    too narrow (Field and Welsh 2007, Bootstrapping clustered data). The interval is about these
    raters on other passages; `alpha_of_other_raters` is about others. Clusters without a unit of
    two ratings are left out.

    The value is computed by the package `krippendorff` where it is installed, for at most
    MAX_VALUES distinct values and MAX_CELLS cells of units by values; elsewhere by
    `coincidence_alpha`, which equals it to 1e-12.

    Undefined, with a reason, for fewer than two units with two ratings, where all ratings are
    equal, and at the ratio level for negative values; no interval where `resampled_estimate` gives
    none. Raises RatingsError for an unknown level and for negative draws.
    """
    check_option("level", level, Level)
    if draws < 0:
        raise RatingsError(f"draws must be 0 or more, not {draws}")
    coincidences = cluster_coincidences(ratings)
    clusters, unit = coincidences.margins.shape[0], ratings.cluster_unit
    margins = column_sums(coincidences.margins)
    n = int(margins.sum())
    if reason := undefined_reason(coincidences, margins, level):
        return Estimate(None, n=n, clusters=clusters, unit=unit, reason=reason, draws=draws)
    value = _package_alpha(ratings, level)
    if value is None:
        value = coincidence_alpha(coincidences, level)
    if not draws:
        return Estimate(value, n=n, clusters=clusters, unit=unit)
    rng = np.random.default_rng(seed)
    values = np.empty(draws)
    step = block_size(coincidences, clusters)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        values[start : start + size] = weighted_alphas(
            coincidences, resample_counts(rng, size, clusters).astype(np.float64), level
        )
    return replace(resampled_estimate(values, value, clusters, "correlation", unit=unit), n=n)


def coincidence_alpha(coincidences: Coincidences, level: Level) -> float:
    """Alpha over all groups of `coincidences`; NaN where it is undefined."""
    margins = column_sums(coincidences.margins)
    if undefined_reason(coincidences, margins, level):
        return float("nan")
    meetings = column_sums(coincidences.meetings)
    return float(compute_alphas(coincidences, margins[None, :], meetings[None, :], level)[0])


def cluster_coincidences(ratings: Ratings) -> Coincidences:
    """Coincidences of each cluster that has a unit of two ratings or more."""
    clusters = np.arange(ratings.n_units) if ratings.clusters is None else ratings.clusters
    paired = np.unique(clusters[ratings.unit_sizes >= 2])
    groups = np.searchsorted(paired, clusters)
    return count_coincidences(ratings.keep(ratings.pairable), groups, len(paired))


def _package_alpha(ratings: Ratings, level: Level) -> float | None:
    """A defined alpha by the package; None where it is absent, and for too many values."""
    try:
        import krippendorff
    except ImportError:  # It is optional because of its licence (GPL-3).
        return None
    values, codes = np.unique(ratings.values, return_inverse=True)
    if len(values) > MAX_VALUES or ratings.n_units * len(values) > MAX_CELLS:
        return None
    counts = np.zeros((ratings.n_units, len(values)), dtype=np.int64)
    np.add.at(counts, (ratings.units, codes), 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # 0 / 0 of units with one rating
        value = krippendorff.alpha(
            value_counts=counts, value_domain=values, level_of_measurement=level
        )
    return float(value)


def undefined_reason(coincidences: Coincidences, margins: Floats, level: Level) -> str | None:
    """Why alpha is undefined for these margins; None if it is defined."""
    units = int(coincidences.units.sum())
    values = coincidences.values[margins > 0]
    if units < 2:
        subject = ("no unit has", "only one unit has")[units]
        return f"{subject} two ratings or more; alpha needs at least two such units"
    if level == "ratio" and values[0] < 0:
        return f"the ratio level needs values of zero or more; the smallest is {values[0]:g}"
    if len(values) == 1:
        return f"every rating is {values[0]:g}; alpha needs at least two different values"
    return None


def compute_alphas(
    coincidences: Coincidences, margins: Floats, meetings: Floats, level: Level
) -> Floats:
    """Alpha of B tables, margins (B, V) and meetings (B, Q): shape (B,), NaN where undefined.

    The ordinal distance of two values is the squared difference of their mid-ranks in the margins
    of the table (Krippendorff 2011: d_ck = (sum of n_g from g = c to k less (n_c + n_k) / 2)
    squared), so it is computed for each table.
    """
    low, high = coincidences.pairs.T
    n = margins.sum(axis=1)
    if level == "nominal":
        observed = meetings.sum(axis=1)
        expected = n * n - (margins * margins).sum(axis=1)
    elif level == "ratio":
        observed = meetings @ _ratio(coincidences.values[low], coincidences.values[high])
        expected = _expected_ratio(coincidences.values, margins)
    else:
        positions = _value_positions(coincidences.values, margins, level)
        observed = (meetings * (positions[:, high] - positions[:, low]) ** 2).sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = (margins * positions).sum(axis=1) / n
        # sum_ck n_c n_k d_ck is 2 n times the sum of squared deviations from the mean.
        expected = 2.0 * n * (margins * (positions - mean[:, None]) ** 2).sum(axis=1)
    varied = np.count_nonzero(margins, axis=1) >= 2
    result = np.full(len(margins), np.nan)
    np.divide((n - 1) * observed, expected, out=result, where=varied)
    return 1.0 - result


def _value_positions(values: Floats, margins: Floats, level: Level) -> Floats:
    """The position of each value, shape (B, V) or (1, V): its mid-rank, or the value itself."""
    if level == "ordinal":
        return np.cumsum(margins, axis=1) - margins / 2
    # Alpha is invariant under shift and scale; unscaled squares could overflow.
    centred = values - values[0] / 2 - values[-1] / 2
    scaled = centred / max(np.abs(centred).max(), np.finfo(np.float64).tiny)
    return np.asarray(scaled[None, :])


def _ratio(c: Floats, k: Floats) -> Floats:
    """((c - k) / (c + k)) squared, and 0 where both are zero."""
    total = c + k
    return np.asarray(np.divide(c - k, total, out=np.zeros_like(total), where=total != 0) ** 2)


def _expected_ratio(values: Floats, margins: Floats) -> Floats:
    """sum_ck n_c n_k d_ck of each table, computed in blocks of values c."""
    expected = np.zeros(len(margins))
    step = max(1, BLOCK_CELLS // len(values))
    for start in range(0, len(values), step):
        rows = slice(start, start + step)
        distances = _ratio(values[rows, None], values[None, :])
        expected += ((margins @ distances.T) * margins[:, rows]).sum(axis=1)
    return expected


def weighted_alphas(coincidences: Coincidences, weights: Floats, level: Level) -> Floats:
    """Alpha of each weighting of the groups, weights (B, G): shape (B,), NaN where undefined."""
    margins, meetings = _columns(coincidences.margins), _columns(coincidences.meetings)
    columns = np.ascontiguousarray(weights.T)
    return compute_alphas(coincidences, (margins @ columns).T, (meetings @ columns).T, level)


def block_size(coincidences: Coincidences, groups: int) -> int:
    """How many tables to process at a time."""
    return max(
        1, BLOCK_CELLS // max(1, len(coincidences.values) + len(coincidences.pairs) + groups)
    )


def column_sums(table: scipy.sparse.csr_array) -> Floats:
    """The sums of a table's columns."""
    return np.asarray(table.sum(axis=0), dtype=np.float64)


def _columns(table: scipy.sparse.csr_array) -> scipy.sparse.csr_array:
    return scipy.sparse.csr_array(table.T)
