"""Differences between systems, paired by passage, and ranks by significant differences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from concord.estimation.estimates import SystemEstimate
from concord.estimation.system_data import degrees_of_freedom, variance_of
from concord.inference import t_quantile, two_sided_p
from concord.meta.inference.multiplicity import MetricRank, holm, rank_metrics


@dataclass(frozen=True)
class MeanDifference:
    """The difference of two systems' means, first - second.

    ci: interval with the confidence passed to `differences`. p: two-sided. adjusted_p: p adjusted
    by Holm's method for all pairs.
    """

    first: str
    second: str
    value: float
    ci: tuple[float, float]
    p: float
    adjusted_p: float


def differences(
    estimates: list[SystemEstimate], *, alpha: float = 0.05, confidence: float = 0.95
) -> tuple[list[MeanDifference], list[MetricRank]]:
    """The differences of all pairs of systems that have an interval, and the rank of each system.

    The variance is that of the difference of the two systems' contributions by passage, so that the
    passages' common effect cancels. Degrees of freedom: the smaller number of rated passages - 1;
    Satterthwaite's for a designed sample. Ranks and groups are those of `rank_metrics` at `alpha`,
    after Holm's correction.
    """
    values = np.array([np.nan if e.ci is None else e.mean for e in estimates], dtype=np.float64)
    p = np.full((len(estimates), len(estimates)), np.nan)
    pairs = []
    for i, j in combinations(range(len(estimates)), 2):
        pair = _difference(estimates[i], estimates[j], confidence)
        if pair is not None:
            pairs.append((i, j, *pair))
    adjusted = holm(np.array([each[4] for each in pairs], dtype=np.float64))
    rows = []
    for (i, j, value, half, p_value), adjusted_p in zip(pairs, adjusted, strict=True):
        p[i, j] = p[j, i] = adjusted_p
        rows.append(
            MeanDifference(
                first=estimates[i].system,
                second=estimates[j].system,
                value=value,
                ci=(value - half, value + half),
                p=p_value,
                adjusted_p=float(adjusted_p),
            )
        )
    return rows, rank_metrics(values, p, alpha)


def _difference(
    first: SystemEstimate, second: SystemEstimate, confidence: float
) -> tuple[float, float, float] | None:
    """(difference, half of the interval's width, p), or None without both intervals."""
    a, b = first.influence, second.influence
    if a is None or b is None or first.ci is None or second.ci is None:
        return None
    value = a.mean - b.mean
    passages = min(first.passages, second.passages)
    share = min(a.finite_share, b.finite_share)
    by_passage = a.by_passage - b.by_passage
    se = math.sqrt((1 - share) * variance_of(by_passage, passages))
    if se == 0:
        return value, 0.0, 1.0 if value == 0 else 0.0
    is_weighted = a.is_weighted or b.is_weighted
    degrees = degrees_of_freedom(by_passage, passages) if is_weighted else passages - 1
    half = t_quantile((1 + confidence) / 2, degrees) * se
    return value, half, two_sided_p(value / se, degrees)
