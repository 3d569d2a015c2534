"""Differences between systems, paired by passage, and ranks by significant differences."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from concord.estimation.estimates import SystemEstimate
from concord.meta.inference.multiplicity import MetricRank, holm, rank_metrics

ROUNDING = 1e-9
"""An error of a difference that is smaller, as a share of the errors of both means, is 0."""


@dataclass(frozen=True)
class MeanDifference:
    """The difference of two systems' means, first - second.

    ci: interval with the confidence passed to `differences`. p: two-sided. adjusted_p: p adjusted
    by Holm's method for all pairs. over: what the interval generalises to.
    """

    first: str
    second: str
    value: float
    ci: tuple[float, float]
    p: float
    adjusted_p: float
    over: str = "passages"


def differences(
    estimates: list[SystemEstimate], *, alpha: float = 0.05, confidence: float = 0.95
) -> tuple[list[MeanDifference], list[MetricRank]]:
    """The differences of all pairs of systems that have an interval, and the rank of each system.
    A pair whose difference is the same in all passages has none.

    The variance is that of the difference of the two systems' contributions by passage, so that the
    passages' common effect cancels, and that of raters who rate both. Degrees of freedom: the
    smaller number of rated passages - 1; Satterthwaite's for a designed sample. Ranks and groups
    are those of `rank_metrics` at `alpha`, after Holm's correction.
    """
    values = np.array([np.nan if e.ci is None else e.mean for e in estimates], dtype=np.float64)
    p = np.full((len(estimates), len(estimates)), np.nan)
    places, rows = [], []
    for i, j in combinations(range(len(estimates)), 2):
        one, other = estimates[i], estimates[j]
        first, second = one.influence, other.influence
        if None in (one.ci, other.ci) or not first or not second:
            continue
        gap = first.minus(second)
        error, ci, p_value = gap.interval(confidence)
        # A difference that is the same in all passages has no error from which to tell others.
        own = first.error[0] + second.error[0]
        if error > ROUNDING * own or not own:
            places.append((i, j))
            rows.append(
                MeanDifference(
                    first=one.system,
                    second=other.system,
                    value=gap.mean,
                    ci=ci,
                    p=p_value,
                    adjusted_p=p_value,
                    over=gap.over,
                )
            )
    adjusted = holm(np.array([row.p for row in rows], dtype=np.float64)).tolist()
    for (i, j), adjusted_p in zip(places, adjusted, strict=True):
        p[i, j] = p[j, i] = adjusted_p
    rows = [replace(row, adjusted_p=each) for row, each in zip(rows, adjusted, strict=True)]
    return rows, rank_metrics(values, p, alpha)
