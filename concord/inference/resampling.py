"""Resamples of clusters, and the 95% intervals and p-values that they give.

A bootstrap over few clusters says little: percentiles over three passages hold the truth in 62 to
87 of 100 cases. So there is no interval below MIN_CLUSTERS; from there to PERCENTILE_CLUSTERS
it is Student's, with the resamples' spread; from there on it is that of expanded percentiles.
`tests/concord/test_interval_coverage.py` measures the coverage; docs/explanation/statistics.md has
the table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import scipy
from numpy.typing import NDArray

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

Statistic = Callable[[NDArray[np.float64]], NDArray[np.float64]]
"""A figure as a function of sums over items: (T, ..., k) to (..., k), for k totals at once."""

# Nearer to a bound, a statistic's transformed value would be infinite.
_EDGE = 1e-6


def too_few_clusters(clusters: int, unit: str = "passages") -> str:
    """Why so many clusters give no interval; empty where they are enough. unit: plural name."""
    if clusters >= MIN_CLUSTERS:
        return ""
    name = unit.removesuffix("s") if clusters == 1 else unit
    return f"{clusters} {name}; at least {MIN_CLUSTERS} are needed"


def resample_counts(rng: np.random.Generator, draws: int, clusters: int) -> NDArray[np.int32]:
    """How often each cluster is drawn in `clusters` draws with replacement, int32, of shape
    (draws, clusters)."""
    counts = np.empty((draws, clusters), dtype=np.int32)
    for row in counts:
        row[:] = np.bincount(rng.integers(clusters, size=clusters), minlength=clusters)
    return counts


def sums_by_cluster(
    values: NDArray[np.float64], clusters: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Sums of values (..., n) over the items of each cluster, `clusters` (n,): (..., G)."""
    order = np.argsort(clusters, kind="stable")
    starts = np.flatnonzero(np.diff(clusters[order], prepend=clusters.min(initial=0) - 1))
    return np.asarray(np.add.reduceat(values[..., order], starts, axis=-1))


def resampled_sums(
    sums: NDArray[np.float64], rng: np.random.Generator, draws: int
) -> NDArray[np.float64]:
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
    sums: NDArray[np.float64],
    resampled: NDArray[np.float64],
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
    sums: NDArray[np.float64],
    scale: Scale = "difference",
    *,
    null: float | None = None,
    unit: str = "passages",
    reason: str = "",
) -> Estimate:
    """A smooth figure of sums by cluster, (T, G), with Student's interval and p.

    The standard error is that of the figures without one cluster each (Tukey 1958): its square is
    (G - 1) / G times their sum of squares about their mean. It is a little too large where clusters
    are few, where the cluster-robust error of a regression is too small (Bell and McCaffrey 2002).
    The interval is symmetric on the scale of `scaled_interval`. There is none below MIN_CLUSTERS
    clusters, and where a figure is undefined without one of them. reason: why it is undefined where
    it is NaN.
    """
    total, clusters = sums.sum(axis=-1, keepdims=True), sums.shape[-1]
    value = float(statistic(total)[0])
    if math.isnan(value):
        return Estimate(None, reason=reason)
    if why := too_few_clusters(clusters, unit):
        return Estimate(value, clusters=clusters, unit=unit, over=unit, reason=why)
    without = statistic(total - sums)
    error = math.sqrt((clusters - 1) / clusters * float(np.sum((without - without.mean()) ** 2)))
    if not error > TOLERANCE * abs(value):
        why = "depends on one of the" if math.isnan(error) else "is the same for all"
        reason = f"the figure {why} {unit}"
        return Estimate(value, clusters=clusters, unit=unit, over=unit, reason=reason)
    low, high = scaled_interval(value, t_quantile(0.975, clusters - 1) * error, scale)
    p = None
    if null is not None:
        p = two_sided_p(scaled_distance(value, null, scale) / error, clusters - 1)
    return Estimate(value, low, high, p, clusters=clusters, unit=unit, over=unit)


def resampled_estimate(  # noqa: PLR0913 - what an interval and its p-value depend on
    values: NDArray[np.float64],
    observed: float,
    clusters: int,
    scale: Scale,
    *,
    unit: str = "passages",
    null: float | None = None,
    level: float = 0.95,
    percentiles: bool = True,
) -> Estimate:
    """A statistic with its interval, and the p-value of `null`, from resamples of clusters.

    values: (draws,), the statistic in the resamples, NaN where it is undefined. observed: the
    statistic of the data, which the interval contains. clusters: how many were resampled, as many
    as there are; unit: their plural name. null: the value under the null hypothesis; no p without
    one. percentiles: False for Student's interval with any number of clusters, whose p-value can be
    smaller than 1 / draws.

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

    def estimate(
        ends: tuple[float, float] | None, p: float | None = None, reason: str = ""
    ) -> Estimate:
        low, high = ends or (None, None)
        return Estimate(
            observed, low, high, p, clusters=clusters, unit=unit, over=unit, reason=reason,
            draws=len(values), undefined=undefined,
        )  # fmt: skip

    if reason := too_few_clusters(clusters, unit):
        return estimate(None, reason=reason)
    if not len(values) or undefined > (1 - MIN_DEFINED) * len(values):
        reason = f"the figure is undefined in {undefined:,} of {len(values):,} resamples"
        return estimate(None, reason=reason)
    if np.ptp(defined) <= 1e-12 * max(1.0, abs(observed)):
        p = 1.0 if null is not None and abs(observed - null) <= TOLERANCE else None
        return estimate(None, p, "the figure is the same in all resamples")
    expansion = math.sqrt(clusters / (clusters - 1))
    if clusters < PERCENTILE_CLUSTERS or not percentiles:
        spread = float(np.sqrt(np.mean((defined - observed) ** 2))) * expansion
        ends = scaled_interval(observed, t_quantile((1 + level) / 2, clusters - 1) * spread, scale)
        if null is None:
            return estimate(ends)
        t = scaled_distance(observed, null, scale) / spread
        return estimate(ends, two_sided_p(t, clusters - 1))
    tail = scipy.special.ndtr(t_quantile((1 - level) / 2, clusters - 1) * expansion)
    # Weibull's quantiles: the k-th of B draws has a share of k / (B + 1) below it.
    low, high = np.quantile(defined, (tail, 1 - tail), method="weibull")
    ends = min(float(low), observed), max(float(high), observed)
    if null is None:
        return estimate(ends)
    if abs(observed - null) <= TOLERANCE:
        return estimate(ends, 1.0)
    # Of the side of `observed`, which the interval contains.
    side = 1.0 if observed > null else -1.0
    share = min(0.5, share_below(side * defined, side * null))
    p = 2 * scipy.special.stdtr(clusters - 1, scipy.special.ndtri(share) / expansion)
    return estimate(ends, float(p))


def share_below(defined: NDArray[np.float64], bound: float) -> float:
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


def contradiction(
    ci: Sequence[float] | None, p: float | None, test: str, alpha: float = 0.05
) -> str:
    """What to say where the 95% interval of a difference and the p-value of another method disagree
    on whether it is 0; empty where they agree, or one is missing.

    test: the name of the p-value's method.
    """
    if ci is None or p is None or (ci[0] > 0 or ci[1] < 0) == (p < alpha):
        return ""
    which = "contains 0, and p is below" if p < alpha else "excludes 0, and p is not below"
    return f"the interval {which} {alpha:g}: it is the bootstrap's, and p is of {test}"
