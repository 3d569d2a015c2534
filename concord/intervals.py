"""95% intervals from resamples and of shares: one rule for the whole library.

A bootstrap over few clusters says little: percentiles over three passages hold the truth in 62 to
87 of 100 cases. So there is no interval below MIN_CLUSTERS; from there to PERCENTILE_CLUSTERS
it is Student's, with the resamples' spread; from there on it is that of expanded percentiles.
`tests/concord/test_interval_coverage.py` measures the coverage; docs/explanation/statistics.md has
the table. Intervals of shares stay in [0, 1].
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
import scipy
from numpy.typing import NDArray

from concord.documents.figures import ResamplesRow as ResamplesRow
from concord.tails import t_above, t_quantile

Z95 = 1.959963984540054
MIN_CLUSTERS = 10
"""With fewer resampled clusters there is no interval: its coverage falls below 92%."""
PERCENTILE_CLUSTERS = 20
"""With fewer, Student's interval covers more than percentiles do."""
MIN_DEFINED = 0.9
"""With a smaller share of resamples in which the statistic is defined, there is no interval."""

POWER = 0.8
"""With this probability, a planned number of passages settles a question."""

Scale = Literal["correlation", "share", "difference"]
"""The range of a statistic: [-1, 1], [0, 1], or a difference, which has none."""

# Nearer to a bound, a statistic's transformed value would be infinite.
_EDGE = 1e-6


@dataclass(frozen=True)
class Interval:
    """A 95% interval by resampling clusters, and what it is made of.

    ends: None where there is no interval; `reason` says why. clusters: how many were resampled.
    draws: number of resamples; in `undefined` of them the statistic was not defined, and they were
    left out.
    """

    ends: tuple[float, float] | None
    clusters: int
    draws: int
    undefined: int = 0
    reason: str = ""


def resamples_json(interval: Interval | None) -> ResamplesRow:
    """What an interval is made of, as JSON, and why there is none; no keys without one."""
    if interval is None:
        return {}
    row: ResamplesRow = {
        "clusters": interval.clusters,
        "draws": interval.draws,
        "undefined": interval.undefined,
    }
    return {**row, "no_interval": interval.reason} if interval.reason else row


def resample_keys(row: Mapping[str, Any]) -> ResamplesRow:
    """The keys of `resamples_json` in a row that has others too."""
    keys = {key: row[key] for key in ResamplesRow.__annotations__ if key in row}
    return cast(ResamplesRow, keys)


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


def resampled_interval(
    values: NDArray[np.float64],
    observed: float,
    clusters: int,
    scale: Scale,
    *,
    unit: str = "passages",
    level: float = 0.95,
) -> Interval:
    """The interval of a statistic from its values in resamples of clusters, (draws,).

    values: NaN where a resample leaves the statistic undefined. observed: the statistic of the
    data, which the interval contains. clusters: how many were resampled, as many as there are.
    unit: their plural name, for the reason.

    With PERCENTILE_CLUSTERS or more: expanded percentiles. Draws vary by (G - 1) / G too little,
    and normal quantiles are too near for few clusters; so the share cut off at each end is
    Phi(-t sqrt(G / (G - 1))) with Student's t of G - 1 degrees of freedom in place of Phi(-1.96)
    (Hesterberg 2015, What Teachers Should Know About the Bootstrap, Section 5.3). With fewer:
    observed -+ t s sqrt(G / (G - 1)), s the root mean square of values - observed, on Fisher's z
    scale for a correlation or an agreement coefficient, on the logit scale for a share.

    No interval, with a reason, for fewer than MIN_CLUSTERS clusters, where fewer than MIN_DEFINED
    of the values are defined, and where they are all equal, which says nothing.
    """
    defined = values[~np.isnan(values)]
    undefined = len(values) - len(defined)
    reason = _refusal(values, clusters, unit)
    if not reason and np.ptp(defined) <= 1e-12 * max(1.0, abs(observed)):
        reason = "the figure is the same in all resamples"
    if reason:
        return Interval(
            ends=None, clusters=clusters, draws=len(values), undefined=undefined, reason=reason
        )
    if clusters < PERCENTILE_CLUSTERS:
        spread = _spread(defined, observed, clusters)
        t = t_quantile((1 + level) / 2, clusters - 1)
        ends = scaled_interval(observed, t * spread, scale)
    else:
        tail = scipy.special.ndtr(t_quantile((1 - level) / 2, clusters - 1) * _expansion(clusters))
        # Weibull's quantiles: the k-th of B draws has a share of k / (B + 1) below it.
        low, high = np.quantile(defined, (tail, 1 - tail), method="weibull")
        ends = min(float(low), observed), max(float(high), observed)
    return Interval(ends, clusters, len(values), undefined)


def resampled_p(
    values: NDArray[np.float64], observed: float, clusters: int, tolerance: float
) -> tuple[float, float]:
    """One-sided p-values of the claims "above 0" and "below 0" of a difference, from resamples.

    They belong to `resampled_interval` of the scale "difference": a 95% interval excludes 0 where
    twice the lesser is below 0.05, up to the resolution of the draws. With PERCENTILE_CLUSTERS or
    more, (c + 1) / (k + 1) of k resamples with c on the other side of 0 (Koehn 2004, Statistical
    Significance Tests for Machine Translation Evaluation) is turned into the tail of Student's t by
    the expansion of the interval. NaN where there is no interval, but 1 where the
    difference is 0 in all resamples. tolerance: differences that are no larger
    are 0, and count for both sides.
    """
    defined = values[~np.isnan(values)]
    if resampled_interval(values, observed, clusters, "difference").ends is None:
        always_equal = not _refusal(values, clusters) and abs(observed) <= tolerance
        return (1.0, 1.0) if always_equal else (math.nan, math.nan)
    if clusters < PERCENTILE_CLUSTERS:
        t = observed / _spread(defined, observed, clusters)
        greater = t_above(t, clusters - 1)
        return greater, 1 - greater
    counts = np.array(
        [np.count_nonzero(defined <= tolerance), np.count_nonzero(defined >= -tolerance)]
    )
    tails = scipy.special.ndtri((counts + 1) / (len(defined) + 1)) / _expansion(clusters)
    greater, less = scipy.special.stdtr(clusters - 1, tails).tolist()
    return greater, less


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


def factor_to_exclude(value: float, end: float, bound: float) -> float:
    """How many times as many clusters move this end of a 95% interval beyond the bound, to the side
    of the value, with a probability of POWER.

    1 where the bound is already outside, infinite where it is the value. An approximation: the
    value is taken as the truth, and the width as shrinking with the square root of the number.
    """
    distance, half = abs(value - bound), abs(value - end)
    if half < distance:
        return 1.0
    if distance == 0:
        return math.inf
    return float((half * (1 + scipy.special.ndtri(POWER) / Z95) / distance) ** 2)


def wilson(share: float, n: float, quantile: float = Z95) -> tuple[float, float]:
    """Wilson's 95% interval of a share of n >= 1 independent items, within [0, 1] (Wilson 1927)."""
    middle = share + quantile**2 / (2 * n)
    half = quantile * math.sqrt(share * (1 - share) / n + quantile**2 / (4 * n * n))
    width = 1 + quantile**2 / n
    # At a share of 0 or 1 the bound is the share itself, but for the last bit.
    return min(share, max(0.0, (middle - half) / width)), max(
        share, min(1.0, (middle + half) / width)
    )


def share_interval(
    hits: NDArray[np.float64], clusters: NDArray[np.int64]
) -> tuple[float, float] | None:
    """The 95% interval of the mean of `hits`, (n,), each in [0, 1], within [0, 1].

    Where every item is a cluster of its own: Wilson's. Else Wilson's with the effective number of
    items, n over the design effect (at least 1, Rao and Scott 1992; the variance is the clustered
    one of `clustered_mean`), and Student's t with clusters - 1 degrees of freedom for the normal
    quantile. Where all hits are 0, or all 1, the effective number is that of the clusters. None
    for a single cluster of several items. Raises ValueError without items.
    """
    n = len(hits)
    if not n:
        raise ValueError("a share needs at least one item")
    share = float(hits.mean())
    codes = np.unique(clusters, return_inverse=True)[1].reshape(-1)
    count = int(codes.max()) + 1
    if count == n:
        return wilson(share, n)
    if count < 2:
        return None
    effective = float(count) if share in (0.0, 1.0) else n / design_effect(hits, clusters)
    return wilson(share, effective, t_quantile(0.975, count - 1))


def design_effect(hits: NDArray[np.float64], clusters: NDArray[np.int64]) -> float:
    """The clustered variance of the mean of `hits`, (n,), each in [0, 1], over the binomial one of
    n independent items; at least 1 (Rao and Scott 1992). 1 for one cluster, and for a mean of 0 or
    1."""
    n, share = len(hits), float(hits.mean())
    codes = np.unique(clusters, return_inverse=True)[1].reshape(-1)
    count = int(codes.max()) + 1
    if count < 2 or not 0 < share < 1:
        return 1.0
    sums = np.bincount(codes, weights=hits - share)
    clustered = count / (count - 1) * float(np.sum(sums**2)) / n**2
    return max(1.0, clustered / (share * (1 - share) / n))


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


def _refusal(values: NDArray[np.float64], clusters: int, unit: str = "passages") -> str:
    """Why these values in resamples allow no interval; empty where they do, if they vary."""
    undefined = int(np.count_nonzero(np.isnan(values)))
    if reason := too_few_clusters(clusters, unit):
        return reason
    if not len(values) or undefined > (1 - MIN_DEFINED) * len(values):
        return f"the figure is undefined in {undefined:,} of {len(values):,} resamples"
    return ""


def _spread(defined: NDArray[np.float64], observed: float, clusters: int) -> float:
    """The standard error by resamples: it includes their bias."""
    return float(np.sqrt(np.mean((defined - observed) ** 2))) * _expansion(clusters)


def _expansion(clusters: int) -> float:
    return math.sqrt(clusters / (clusters - 1))
