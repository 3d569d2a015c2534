"""Resamples of clusters, and the 95% intervals and p-values that they give.

A bootstrap over few clusters says little: percentiles over three passages hold the truth in 62 to
87 of 100 cases. So there is no interval below MIN_CLUSTERS; from there to PERCENTILE_CLUSTERS
it is Student's, with the resamples' spread; from there on it is that of expanded percentiles.
`tests/concord/test_interval_coverage.py` measures the coverage; docs/explanation/statistics.md has
the table.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import scipy

from concord.arrays import Counts, Floats, Integers
from concord.inference.estimate import Estimate, Scale
from concord.inference.products import product
from concord.inference.tails import t_quantile, two_sided_p

MIN_CLUSTERS = 10
"""With fewer resampled clusters there is no interval: its coverage falls below 92%."""
PERCENTILE_CLUSTERS = 20
"""With fewer, Student's interval covers more than percentiles do."""
MIN_DEFINED = 0.9
"""With a smaller share of resamples in which the statistic is defined, there is no interval."""
TOLERANCE = 1e-10
"""Figures that differ by less are equal: the order of summation changes them by about this much."""

BLOCK = 64
"""Resamples that are drawn at once, from one spawned generator."""

Statistic = Callable[[Floats], Floats]
"""A figure as a function of sums over items: (T, ..., k) to (..., k), for k totals at once."""

# Nearer to a bound, a statistic's transformed value would be infinite.
_EDGE = 1e-6


def too_few_clusters(clusters: int, unit: str = "passages") -> str:
    """Why so many clusters give no interval; empty where they are enough. unit: plural name."""
    if clusters >= MIN_CLUSTERS:
        return ""
    name = unit.removesuffix("s") if clusters == 1 else unit
    return f"{clusters} {name}; at least {MIN_CLUSTERS} are needed"


def resample_counts(rng: np.random.Generator, draws: int, clusters: int) -> Counts:
    """How often each cluster is drawn in `clusters` draws with replacement, int32, of shape
    (draws, clusters)."""
    counts = np.empty((draws, clusters), dtype=np.int32)
    for row in counts:
        row[:] = np.bincount(rng.integers(clusters, size=clusters), minlength=clusters)
    return counts


def sums_by_cluster(values: Floats, clusters: Integers) -> Floats:
    """Sums of values (..., n) over the items of each cluster, `clusters` (n,): (..., G)."""
    order = np.argsort(clusters, kind="stable")
    starts = np.flatnonzero(np.diff(clusters[order], prepend=clusters.min(initial=0) - 1))
    return np.asarray(np.add.reduceat(values[..., order], starts, axis=-1))


def resampled_sums(sums: Floats, rng: np.random.Generator, draws: int) -> Floats:
    """Totals over clusters drawn with replacement, as many as there are: (..., draws) of
    (..., G)."""
    flat = sums.reshape(-1, sums.shape[-1])
    resampled = np.empty((len(flat), draws))
    starts = range(0, draws, BLOCK)
    for start, child in zip(starts, rng.spawn(len(starts)), strict=True):
        size = min(BLOCK, draws - start)
        counts = resample_counts(child, size, flat.shape[1]).astype(np.float64)
        resampled[:, start : start + size] = product(counts, flat.T).T
    return resampled.reshape(*sums.shape[:-1], draws)


def estimates_of_sums(
    statistic: Statistic,
    sums: Floats,
    resampled: Floats,
    scale: Scale = "difference",
    *,
    null: float | None = None,
    unit: str = "passages",
    reason: str = "",
) -> list[Estimate]:
    """K figures of sums by cluster, (T, K, G), with intervals of `resampled_estimate`.

    resampled: (T, K, draws), of `resampled_sums`; figures of the same resamples can be compared
    draw by draw. reason: why a figure is undefined where it is NaN.
    """
    values = statistic(sums.sum(axis=-1)[..., None])[:, 0]
    return [
        Estimate(None, reason=reason)
        if np.isnan(value)
        else resampled_estimate(drawn, value, sums.shape[-1], scale, null=null, unit=unit)
        for value, drawn in zip(values.tolist(), statistic(resampled), strict=True)
    ]


def jackknifed_estimate(
    statistic: Statistic,
    sums: Floats,
    scale: Scale = "difference",
    *,
    null: float | None = None,
    unit: str = "passages",
    reason: str = "",
) -> Estimate:
    """A smooth figure of sums by cluster, (T, G), with its `jackknife_estimate`. reason: why it is
    undefined where it is NaN."""
    total = sums.sum(axis=-1, keepdims=True)
    value = float(statistic(total)[0])
    if math.isnan(value):
        return Estimate(None, reason=reason)
    return jackknife_estimate(statistic(total - sums), value, scale, null=null, unit=unit)


def resampled_estimate(
    values: Floats,
    observed: float,
    clusters: int,
    scale: Scale,
    *,
    unit: str = "passages",
    null: float | None = None,
    level: float = 0.95,
) -> Estimate:
    """A statistic with its interval, and the p-value of `null`, from resamples of clusters.

    values: (draws,), the statistic in the resamples, NaN where it is undefined. observed: the
    statistic of the data, which the interval contains. clusters: how many were resampled, as many
    as there are; unit: their plural name. null: the value under the null hypothesis; no p without
    one.

    With PERCENTILE_CLUSTERS or more: expanded percentiles. Draws vary by (G - 1) / G too little,
    and normal quantiles are too near for few clusters; so the share cut off at each end is
    Phi(-t sqrt(G / (G - 1))) with Student's t of G - 1 degrees of freedom in place of Phi(-1.96)
    (Hesterberg 2015, What Teachers Should Know About the Bootstrap, Section 5.3). With fewer:
    observed -+ t s sqrt(G / (G - 1)), s the root mean square of values - observed, on Fisher's z
    scale for a correlation or an agreement coefficient, on the logit scale for a share. The p-value
    is that at whose level the interval would end at `null`.

    No interval, with a reason, for fewer than MIN_CLUSTERS clusters, where fewer than MIN_DEFINED
    of the values are defined, and where they are all equal, which says nothing; but p is 1 where
    they are all equal to `null`.
    """
    defined = values[~np.isnan(values)]
    undefined = len(values) - len(defined)
    estimate = Estimate(
        observed, clusters=clusters, unit=unit, over=unit, draws=len(values), undefined=undefined
    )
    if reason := too_few_clusters(clusters, unit):
        return replace(estimate, reason=reason)
    if not len(values) or undefined > (1 - MIN_DEFINED) * len(values):
        reason = f"the figure is undefined in {undefined:,} of {len(values):,} resamples"
        return replace(estimate, reason=reason)
    if np.ptp(defined) <= 1e-12 * max(1.0, abs(observed)):
        p = 1.0 if null is not None and abs(observed - null) <= TOLERANCE else None
        return replace(estimate, p=p, reason="the figure is the same in all resamples")
    expansion = math.sqrt(clusters / (clusters - 1))
    if clusters < PERCENTILE_CLUSTERS:
        spread = float(np.sqrt(np.mean((defined - observed) ** 2))) * expansion
        return with_interval(estimate, spread, clusters - 1, scale, null=null, level=level)
    tail = scipy.special.ndtr(t_quantile((1 - level) / 2, clusters - 1) * expansion)
    # Weibull's quantiles: the k-th of B draws has a share of k / (B + 1) below it.
    low, high = np.quantile(defined, (tail, 1 - tail), method="weibull")
    estimate = replace(estimate, low=min(float(low), observed), high=max(float(high), observed))
    if null is None:
        return estimate
    if abs(observed - null) <= TOLERANCE:
        return replace(estimate, p=1.0)
    # Of the side of `observed`, which the interval contains.
    side = 1.0 if observed > null else -1.0
    share = min(0.5, _share_below(side * defined, side * null))
    p = 2 * scipy.special.stdtr(clusters - 1, scipy.special.ndtri(share) / expansion)
    return replace(estimate, p=float(p))


def jackknife_estimate(
    values: Floats,
    observed: float,
    scale: Scale,
    *,
    unit: str = "passages",
    null: float | None = None,
    n: int | None = None,
) -> Estimate:
    """A statistic with its interval, and the p-value of `null`, from its values without a cluster.

    values: (G,), the statistic of all clusters but one; NaN where it is undefined. The standard
    error is the jackknife's: its square is (G - 1) / G times the values' sum of squares about their
    mean (Tukey 1958). It is rather too large than too small (Efron and Stein 1981), where the
    cluster-robust error of a regression is too small for few clusters (Bell and McCaffrey 2002).
    Interval and p-value are those of Student's t with G - 1 degrees of freedom, symmetric on the
    scale of `scaled_interval`. No interval, with a reason, for fewer than MIN_CLUSTERS clusters,
    where the statistic is undefined without one of them, and where it is the same without any; then
    p is 1 where it is `null`.
    """
    clusters = len(values)
    estimate = Estimate(observed, n=n, clusters=clusters, unit=unit, over=unit)
    if reason := too_few_clusters(clusters, unit):
        return replace(estimate, reason=reason)
    error = math.sqrt((clusters - 1) / clusters * float(np.sum((values - values.mean()) ** 2)))
    if math.isnan(error):
        return replace(estimate, reason=f"the figure depends on one of the {unit}")
    if error <= TOLERANCE * abs(observed):
        p = 1.0 if observed == null else None
        return replace(estimate, p=p, reason=f"the figure is the same for all {unit}")
    return with_interval(estimate, error, clusters - 1, scale, null=null)


def with_interval(
    estimate: Estimate,
    error: float,
    degrees: float,
    scale: Scale = "difference",
    *,
    null: float | None = None,
    level: float = 0.95,
) -> Estimate:
    """The estimate with value -+ t error, by Student's t, on the scale of `scaled_interval`, and
    with the p-value of `null`."""
    value = estimate.value
    assert value is not None
    low, high = scaled_interval(value, t_quantile((1 + level) / 2, degrees) * error, scale)
    p = None
    if null is not None:
        p = two_sided_p(scaled_distance(value, null, scale) / error, degrees)
    return replace(estimate, low=low, high=high, p=p)


def _share_below(defined: Floats, bound: float) -> float:
    """The share of draws below the bound, in [1 / (B + 1), B / (B + 1)]: the inverse of Weibull's
    quantiles. Draws within TOLERANCE of the bound are below it."""
    ordered = np.sort(defined)
    count = int(np.searchsorted(ordered, bound + TOLERANCE, side="right"))
    place = float(np.clip(count, 1, len(ordered)))
    if 0 < count < len(ordered):
        before, after = ordered[count - 1], ordered[count]
        place += max(0.0, bound - before) / (after - before)
    return place / (len(ordered) + 1)


def scaled_interval(value: float, half: float, scale: Scale) -> tuple[float, float]:
    """value -+ half on the transformed scale of a statistic, by the delta method.

    half: half of the interval's width on the statistic's own scale. The ends are those of the
    symmetric interval on Fisher's z scale for a correlation (in [-1, 1]), on the logit scale for a
    share (in [0, 1]), and value -+ half for a difference.
    """
    if scale == "difference":
        return value - half, value + half
    if scale == "correlation":
        # Fisher's z is half of the logit of (1 + r) / 2.
        low, high = scaled_interval((1 + value) / 2, half / 2, "share")
        return 2 * low - 1, 2 * high - 1
    middle = min(1 - _EDGE, max(_EDGE, value))
    width = half / (middle * (1 - middle))
    logit = scipy.special.logit(middle)
    low, high = (float(scipy.special.expit(logit + side * width)) for side in (-1, 1))
    return min(low, value), max(high, value)


def scaled_distance(value: float, null: float, scale: Scale) -> float:
    """The half width with which `scaled_interval` of the value ends at `null`, with its sign."""
    if scale == "difference":
        return value - null
    if scale == "correlation":
        return 2 * scaled_distance((1 + value) / 2, (1 + null) / 2, "share")
    middle, end = (min(1 - _EDGE, max(_EDGE, side)) for side in (value, null))
    distance = scipy.special.logit(middle) - scipy.special.logit(end)
    return float(distance * middle * (1 - middle))
