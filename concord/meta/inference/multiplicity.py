"""Multiple testing: adjusted p-values, and ranks and groups by significant differences."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from concord.arrays import Floats
from concord.inference import TOLERANCE
from concord.meta.inference.draws import permutation_p


def holm(p: Floats) -> Floats:
    """Holm's step-down adjustment of p-values (m,); NaN stays NaN and counts as no test.

    The k-th smallest of m p-values is multiplied by m - k + 1, and raised to the adjusted value of
    its predecessor (Holm 1979, A simple sequentially rejective multiple test procedure). Rejecting
    the hypotheses with an adjusted p of at most alpha has a familywise error rate of at most alpha.
    """
    adjusted = np.full(p.shape, np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * factors))
    return adjusted


def westfall_young(observed: Floats, nulls: Floats) -> Floats:
    """Two-sided p-values of P statistics, adjusted by step-down maxT; NaN stays NaN.

    observed: (P,). nulls: (draws, P), the same statistics under permutation; all pairs use the same
    swaps. Each statistic is divided by the root mean square of its null distribution. From the most
    extreme statistic down, each is compared with the largest null statistic of those not yet tested
    (Westfall and Young 1993, Algorithm 4.1). Unlike Holm's method it takes the dependence of the
    pairs into account, and its smallest value is 1 / (draws + 1) for any number of pairs.
    """
    adjusted = np.full(len(observed), np.nan)
    tested = np.flatnonzero(~np.isnan(observed) & ~np.isnan(nulls).any(axis=0))
    scale = np.sqrt(np.mean(nulls[:, tested] ** 2, axis=0))
    varies = scale > TOLERANCE
    adjusted[tested[~varies]] = 1.0
    tested, scale = tested[varies], scale[varies]
    extremes = np.abs(observed[tested]) / scale
    order = np.argsort(extremes, kind="stable")  # the least extreme first
    largest = np.zeros(len(nulls))
    p_values = np.empty(len(order))
    for k, position in enumerate(order):
        np.maximum(largest, np.abs(nulls[:, tested[position]]) / scale[position], out=largest)
        count = int(np.count_nonzero(largest >= extremes[position] - TOLERANCE))
        p_values[k] = permutation_p(count, len(nulls))
    # Step down: none is smaller than that of a more extreme one.
    adjusted[tested[order]] = np.maximum.accumulate(p_values[::-1])[::-1]
    return adjusted


@dataclass(frozen=True)
class MetricRank:
    """The rank of a metric.

    rank: 1 + the number of metrics that are significantly better. Metrics may share a rank. Two
    metrics without a significant difference may have different ranks, because a third is better
    than only one of them. top: whether it is not shown to differ from the metric with the highest
    figure. group: from 1, by WMT's rule (`rank_metrics`). All are None without a figure.
    """

    rank: int | None = None
    group: int | None = None
    top: bool | None = None


def rank_metrics(values: Floats, p: Floats, alpha: float = 0.05) -> list[MetricRank]:
    """Ranks of M metrics, from their figures (M,) and two-sided p-values (M, M).

    Metric i is significantly better than j if its figure is higher and p[i, j] <= alpha. With
    adjusted p-values the familywise error rate is at most alpha.

    Groups follow WMT's rule: metrics are taken from the highest figure down, and the first one that
    is significantly worse than a metric of the current group starts the next group. Two metrics of
    a group do not differ significantly, but neither may two of neighbouring groups. Equal figures
    keep their order.
    """
    better = (values[:, None] > values) & (p <= alpha)
    ranks = 1 + np.count_nonzero(better, axis=0)
    order = [m for m in np.argsort(-values, kind="stable").tolist() if not np.isnan(values[m])]
    found = [MetricRank()] * len(values)
    current: list[int] = []
    number = 1
    for metric in order:
        if better[current, metric].any():
            number += 1
            current = []
        current.append(metric)
        found[metric] = MetricRank(int(ranks[metric]), number, not better[order[0], metric])
    return found
