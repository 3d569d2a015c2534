"""Where a judge fails: groups of items on which it is too high or too low for people."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.inference import Estimate, clustered_mean, t_quantile, two_sided_p
from concord.meta.inference.multiplicity import holm

MIN_ITEMS = 10
ALPHA = 0.05
BANDS = ("low", "middle", "high")


@dataclass(frozen=True)
class GroupError:
    """The items of one group of a grouping.

    bias: mean of grade - score of people, with its 95% interval clustered by passage; above 0 the
    judge is too generous. error: mean distance. p: of H0 "the bias is 0", adjusted by Holm's method
    for all groups; None where it is undefined.
    """

    grouping: str
    group: str
    n: int
    bias: Estimate
    error: float
    p: float | None

    @property
    def differs(self) -> bool:
        """Whether the judge is biased on this group, allowing for the number of groups."""
        return self.p is not None and self.p <= ALPHA


def group_errors(
    grades: NDArray[np.float64],
    gold: NDArray[np.float64],
    labels: Mapping[str, NDArray[np.str_]],
    clusters: NDArray[np.int64],
) -> list[GroupError]:
    """The errors by group, the largest mean distance first.

    grades, gold: float64 (n,), finite, on one scale. labels: by grouping, (n,); "" is no group.
    Groups of fewer than MIN_ITEMS items, or of all items, are left out.
    """
    residuals = grades - gold
    groups = []
    for grouping, names in labels.items():
        for group in sorted(set(names.tolist()) - {""}):
            rows = np.flatnonzero(names == group)
            if MIN_ITEMS <= len(rows) < len(residuals):
                groups.append((grouping, group, rows))
    biases = [clustered_mean(residuals[rows], clusters[rows]) for _, _, rows in groups]
    raw = [
        _p_value(bias, len(np.unique(clusters[rows])))
        for bias, (_, _, rows) in zip(biases, groups, strict=True)
    ]
    adjusted = holm(np.array(raw, dtype=np.float64))
    errors = [
        GroupError(
            grouping=grouping,
            group=group,
            n=len(rows),
            bias=bias,
            error=float(np.abs(residuals[rows]).mean()),
            p=None if np.isnan(p) else float(p),
        )
        for (grouping, group, rows), bias, p in zip(groups, biases, adjusted.tolist(), strict=True)
    ]
    return sorted(errors, key=lambda row: (-row.error, row.grouping, row.group))


def score_bands(gold: NDArray[np.float64], scale: tuple[float, float]) -> NDArray[np.str_]:
    """The third of the scale that holds each of people's scores, (n,): one of BANDS."""
    low, high = scale
    share = (gold - low) / (high - low)
    return np.array(BANDS)[np.clip((share * 3).astype(np.int64), 0, 2)]


def _p_value(bias: Estimate, clusters: int) -> float:
    """Two-sided p-value of a clustered mean, NaN without an interval."""
    if bias.value is None or bias.ci is None:
        return float("nan")
    half = (bias.ci[1] - bias.ci[0]) / 2
    if half == 0:
        return float(bias.value == 0)
    t = bias.value / half * t_quantile(0.975, clusters - 1)
    return two_sided_p(t, clusters - 1)
