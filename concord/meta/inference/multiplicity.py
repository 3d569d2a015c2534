"""Many tests at once: adjusted p-values, and the ranks and groups that follow from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.meta.inference.draws import permutation_p

# Figures that differ by less are equal: another order of summation changes them by about as much.
TOLERANCE = 1e-10


def holm(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """Holm's step-down adjustment of p-values (m,); NaN stays NaN and counts as no test.

    The k-th smallest of m is multiplied by m - k + 1, and is at least its predecessor's (Holm 1979,
    A simple sequentially rejective multiple test procedure). What is at most alpha after it is
    rejected with a chance of at most alpha that any rejection is wrong.
    """
    adjusted = np.full(p.shape, np.nan)
    tested = np.flatnonzero(~np.isnan(p))
    order = tested[np.argsort(p[tested], kind="stable")]
    factors = np.arange(len(order), 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * factors))
    return adjusted


def westfall_young(
    observed: NDArray[np.float64], nulls: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Two-sided p-values of P statistics adjusted by the largest of each draw; NaN stays NaN.

    `observed` is (P,), `nulls` (draws, P), the same statistics with the metrics of each pair
    swapped at random by signs that all pairs share. Each is divided by the root mean square of its
    null; then step down from the most extreme, comparing each with the largest of those not yet
    passed (Westfall and Young 1993, Algorithm 4.1). Unlike Holm's, its least value is
    1 / (draws + 1) whatever the number of pairs, and it knows that pairs hang together.
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
    """The rank and the rank group of a metric.

    rank: 1 + the number of metrics that are significantly better. Metrics may share a rank, and two
    that do not differ significantly may have different ranks (a third is better than only one).
    group: from 1, the groups shown on a board, see `rank_metrics`. Both None without a figure.
    """

    rank: int | None
    group: int | None


def rank_metrics(
    values: NDArray[np.float64], p: NDArray[np.float64], alpha: float = 0.05
) -> list[MetricRank]:
    """Ranks and groups of M metrics, from their figures (M,) and two-sided p-values (M, M).

    Metric i is significantly better than j if its figure is higher and p[i, j] <= alpha; give
    adjusted p-values to hold the chance of any wrong difference at alpha.

    Groups follow WMT's rule: go down the metrics from the best figure; the first that is
    significantly worse than a metric of the current group opens the next. So the groups do not
    overlap, and none holds two metrics that differ significantly; neighbours across a border need
    not differ. Equal figures are taken in the order given.
    """
    better = (values[:, None] > values) & (p <= alpha)
    ranks = 1 + np.count_nonzero(better, axis=0)
    groups: dict[int, int] = {}
    current: list[int] = []
    number = 1
    for metric in np.argsort(-values, kind="stable").tolist():
        if np.isnan(values[metric]):
            continue
        if better[current, metric].any():
            number += 1
            current = []
        current.append(metric)
        groups[metric] = number
    return [
        MetricRank(int(ranks[m]), groups[m]) if m in groups else MetricRank(rank=None, group=None)
        for m in range(len(values))
    ]
