"""Means, shares and differences of values in clusters."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import scipy

from concord.arrays import Floats, Integers
from concord.inference.estimate import Estimate
from concord.inference.resampling import TOLERANCE, too_few_clusters, with_interval
from concord.inference.tails import t_quantile

Z95 = 1.959963984540054
POWER = 0.8
"""With this probability, a planned number of passages settles a question."""
FLIPS = 9_999
# Signs that are held at once.
_FLIP_CELLS = 1 << 22


def clustered_mean(
    values: Floats, clusters: Integers, *, null: float | None = None, unit: str = "passages"
) -> Estimate:
    """Mean of `values`, (n,), with an interval and a p-value robust to correlation in clusters.

    The interval and the two-sided p of the hypothesis that the mean is `null` take Student's t with
    the error and the degrees of freedom of `clustered_error`. No interval with a single cluster;
    undefined without values or with a NaN among them.
    """
    if values.shape != clusters.shape or values.ndim != 1:
        raise ValueError(f"values {values.shape} and clusters {clusters.shape} must match")
    if not len(values):
        return Estimate(None, reason="there are no judged candidates")
    if not np.isfinite(values).all():
        return Estimate(None, reason="a score is missing")
    error, degrees = clustered_error(values, clusters)
    return t_estimate(
        float(values.mean()), error, degrees, len(values),
        clusters=len(np.unique(clusters)), null=null, unit=unit,
    )  # fmt: skip


def t_estimate(
    value: float,
    error: float,
    degrees: float,
    n: int,
    *,
    clusters: int,
    null: float | None = None,
    unit: str = "passages",
) -> Estimate:
    """value -+ t error, with Student's t; no interval without degrees of freedom.

    Where the error is 0, the interval would have no width and say nothing: there is none.
    """
    estimate = Estimate(value, n=n, clusters=clusters, unit=unit, over=unit)
    if degrees <= 0:
        return replace(estimate, reason=too_few_clusters(1, unit))
    if error <= 0:
        p = 1.0 if value == null else None
        return replace(estimate, p=p, reason=f"the figure is the same for all {unit}")
    return with_interval(estimate, error, degrees, null=null)


def clustered_error(values: Floats, clusters: Integers) -> tuple[float, float]:
    """(standard error of the mean, its degrees of freedom), of finite `values`, (n,), n >= 1;
    (0, 0) with a single cluster.

    The error is that of leaving out each of the G clusters in turn: its square is (G - 1) / G *
    sum_g (mean without g - mean)^2, which for clusters of one size is the cluster-robust variance
    of Liang and Zeger (1986). The degrees of freedom are n^2 / sum_g n_g^2 - 1, G - 1 for clusters
    of one size, because few large clusters tell as little as few clusters (Carter, Schnepel and
    Steigerwald 2017). With G - 1, 8% of tests reject a true null hypothesis with ten clusters of 1
    to 12 items.
    """
    each = np.stack([values - float(values.mean()), np.ones(len(values))])
    sums, sizes = cluster_sums(each, clusters)
    groups, n = len(sums), len(values)
    if groups < 2:
        return 0.0, 0.0
    variance = (groups - 1) / groups * float(np.sum((sums / (n - sizes)) ** 2))
    return math.sqrt(variance), n * n / float(np.sum(sizes**2)) - 1


def cluster_sums(values: Floats, clusters: Integers) -> Floats:
    """Sums of `values`, (..., n), over each cluster, (..., G)."""
    codes = np.unique(clusters, return_inverse=True)[1].reshape(-1)
    shape = *values.shape[:-1], int(codes.max(initial=-1)) + 1
    rows = values.reshape(math.prod(shape[:-1]), len(codes))
    sums = [np.bincount(codes, weights=row, minlength=shape[-1]) for row in rows]
    return np.array(sums, dtype=np.float64).reshape(shape)


def wilson(share: float, n: float, quantile: float = Z95) -> tuple[float, float]:
    """Wilson's 95% interval of a share of n >= 1 independent items, within [0, 1] (Wilson 1927)."""
    middle = share + quantile**2 / (2 * n)
    half = quantile * math.sqrt(share * (1 - share) / n + quantile**2 / (4 * n * n))
    width = 1 + quantile**2 / n
    # At a share of 0 or 1 the bound is the share itself, but for the last bit.
    return min(share, max(0.0, (middle - half) / width)), max(
        share, min(1.0, (middle + half) / width)
    )


def clustered_share(hits: Floats, clusters: Integers, *, unit: str = "passages") -> Estimate:
    """The mean of `hits`, (n,), each in [0, 1], with an interval within [0, 1].

    Where every item is a cluster of its own: Wilson's. Else Wilson's with the effective number of
    items, n over the design effect (at least 1, Rao and Scott 1992; the variance is the clustered
    one of `clustered_mean`), and Student's t with G - 1 degrees of freedom for the normal quantile.
    Where all hits are 0, or all 1, the effective number is that of the clusters. No interval for a
    single cluster of several items. Undefined without items.
    """
    n = len(hits)
    if not n:
        return Estimate(None, reason="there are no items")
    share = float(hits.mean())
    count = len(np.unique(clusters))
    if count == n:
        low, high = wilson(share, n)
    elif count < 2:
        reason = too_few_clusters(count, unit)
        return Estimate(share, n=n, clusters=count, unit=unit, reason=reason)
    else:
        effective = count if share in (0.0, 1.0) else n / design_effect(hits, clusters)
        low, high = wilson(share, effective, t_quantile(0.975, count - 1))
    return Estimate(share, low, high, n=n, clusters=count, unit=unit, over=unit)


def design_effect(hits: Floats, clusters: Integers) -> float:
    """The clustered variance of the mean of `hits`, (n,), each in [0, 1], over the binomial one of
    n independent items; at least 1 (Rao and Scott 1992). 1 for one cluster, and for a mean of 0 or
    1."""
    n, share = len(hits), float(hits.mean())
    error, degrees = clustered_error(hits, clusters)
    if not degrees or not 0 < share < 1:
        return 1.0
    return max(1.0, error**2 / (share * (1 - share) / n))


def sign_flips(
    values: Floats, clusters: Integers, *, seed: int = 0, draws: int = FLIPS, unit: str = "passages"
) -> Estimate:
    """Mean of differences, (n,), with the test that they are symmetric about 0.

    Each draw flips the signs of all values of a cluster together, with probability 1/2. p is (c +
    1) / (k + 1), where c of k draws have a mean at least as far from 0 as the observed one (Fisher
    1935; Phipson and Smyth 2010). The interval holds every shift of the values that the same test,
    with the same draws, does not reject at 5%, so that it excludes 0 where p <= 0.05. Valid also
    where few values differ from 0, where Student's t is not. Undefined without values; no interval
    below MIN_CLUSTERS clusters.
    """
    if not len(values):
        return Estimate(None, reason="there are no differences")
    sums, sizes = cluster_sums(np.stack([values, np.ones(len(values))]), clusters)
    groups, total, n = len(sums), float(sums.sum()), len(values)
    mean = total / n
    rng = np.random.default_rng(seed)
    lows, highs, extreme = [], [], 0
    step = max(1, _FLIP_CELLS // groups)
    for start in range(0, draws, step):
        signs = 2.0 * rng.integers(2, size=(min(step, draws - start), groups)) - 1.0
        flipped, flipped_n = signs @ sums, signs @ sizes
        extreme += int(np.count_nonzero(np.abs(flipped) >= abs(total) * (1 - 1e-12)))
        # With a shift t, |flipped - t flipped_n| >= |total - t n| between these two shifts.
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = np.stack([
                (total - flipped) / (n - flipped_n), (total + flipped) / (n + flipped_n)
            ])  # fmt: skip
        ends[np.abs(ends) <= 1e-12 * abs(mean)] = 0.0
        all_flipped = np.abs(flipped_n) == n
        lows.append(np.where(all_flipped, -np.inf, ends.min(axis=0)))
        highs.append(np.where(all_flipped, np.inf, ends.max(axis=0)))
    p = (extreme + 1) / (draws + 1)
    if reason := too_few_clusters(groups, unit):
        return Estimate(mean, p=p, n=n, clusters=groups, unit=unit, over=unit, reason=reason)
    # The test rejects where fewer than this many draws are as extreme.
    needed = math.floor(0.05 * (draws + 1))
    low = float(np.sort(np.concatenate(lows))[needed - 1])
    high = float(-np.sort(-np.concatenate(highs))[needed - 1])
    return Estimate(mean, low, high, p, n, groups, unit, unit, draws=draws)


@dataclass(frozen=True)
class RareChanges:
    """Differences of which few are not 0: Student's error of their mean is too small, or 0.

    changed: clusters whose differences do not sum to 0, of `clusters`. reach: how far each of them
    moves the mean times `clusters` (root mean square), or the largest possible where none did.
    """

    changed: int
    clusters: int
    reach: float

    @classmethod
    def of(cls, values: Floats, clusters: Integers, largest: float) -> RareChanges:
        """Of differences, (n,), from -largest to largest. Where all clusters changed by the same,
        others might have changed by as much in the other direction."""
        sums = cluster_sums(values, clusters)
        sums *= len(sums) / len(values)
        changed = int(np.count_nonzero(sums))
        if not changed:
            return cls(0, len(sums), largest)
        reach = math.sqrt(float(np.sum(sums**2)) / changed)
        if np.ptp(sums) <= TOLERANCE * reach:
            return cls(0, len(sums), 2 * reach)
        return cls(changed, len(sums), reach)

    def margin(self, level: float) -> float:
        """The least distance of a one-sided bound from the mean: the share of clusters that change
        is at most Clopper and Pearson's bound (1934)."""
        if self.changed == self.clusters:
            return 0.0
        upper = float(scipy.special.bdtri(self.changed, self.clusters, level))
        return self.reach * (upper - self.changed / self.clusters)

    def level(self, margin: float) -> float:
        """The level at which this is the margin; 0 where no level has one so large."""
        if self.changed == self.clusters or not self.reach:
            return 0.0
        share = min(1.0, self.changed / self.clusters + margin / self.reach)
        return float(scipy.special.bdtr(self.changed, self.clusters, share))


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


def detectable(estimate: Estimate) -> float | None:
    """The size of a difference that this many clusters show with a probability of POWER; None
    without an interval.

    An approximation: the interval's wider half, times 1 + z(POWER) / 1.96.
    """
    if estimate.value is None or estimate.low is None or estimate.high is None:
        return None
    half = max(estimate.value - estimate.low, estimate.high - estimate.value)
    return float(half * (1 + scipy.special.ndtri(POWER) / Z95))
