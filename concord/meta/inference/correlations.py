"""Agreement of metrics with people: pooled, averaged by item, averaged by system."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from concord.inference import Estimate
from concord.meta.correlation import MIN_CANDIDATES
from concord.meta.inference.estimators import Coefficient, Estimator, estimator
from concord.meta.inference.sample import Grouping, ScoredSample

GROUP_NAMES = {"none": "sample", "item": "item", "sys": "system"}


@dataclass(frozen=True, slots=True)
class Correlation:
    """One metric's correlation with people, averaged over groups of candidates.

    figure: in [-1, 1], higher is better; undefined with a reason. n: number of candidates. groups:
    number of groups. used: number of groups in the average. The other groups have fewer than two
    candidates (`too_few`), the same gold score for all candidates (`gold_constant`), or different
    gold scores and the same metric score for all (`metric_constant`).
    """

    metric: str
    coefficient: Coefficient
    grouping: Grouping
    figure: Estimate
    n: int
    groups: int
    used: int
    too_few: int
    gold_constant: int
    metric_constant: int

    @property
    def value(self) -> float | None:
        """The coefficient; None if it is undefined."""
        return self.figure.value

    def with_figure(self, *, p: float | None, ci: tuple[float, float] | None) -> Correlation:
        """The same with a p-value and an interval, where the figure is defined."""
        if self.figure.value is None:
            return self
        low, high = ci or (None, None)
        return replace(self, figure=Estimate(self.figure.value, low, high, p))


def correlations(
    sample: ScoredSample, coefficient: Coefficient, grouping: Grouping = "none"
) -> list[Correlation]:
    """The figure of every metric, in the sample's order.

    grouping: as `average_by` in mt-metrics-eval. "none": over all candidates, at least three.
    "item": the mean over items of the coefficient within an item. "sys": the mean over systems of
    the coefficient within a system. A group needs two candidates; groups with an undefined
    coefficient are left out and counted. The figure is undefined, with a reason, for a metric with
    a missing score or a constant score.
    """
    return build_correlations(estimator(sample, coefficient, grouping), coefficient, grouping)


def build_correlations(
    estimator: Estimator, coefficient: Coefficient, grouping: Grouping
) -> list[Correlation]:
    """The figures of an estimator's metrics."""
    sample, groups = estimator.sample, estimator.groups
    values = estimator.observed
    means = estimator.means()[0]
    too_few = groups.sizes < 2
    same_gold = groups.constant(sample.gold[groups.order]) & ~too_few
    same_scores = groups.constant(sample.filled_scores[:, groups.order]) & ~too_few & ~same_gold
    rows = []
    for m, name in enumerate(sample.metrics):
        used = int(np.count_nonzero(~np.isnan(values[m])))
        reason = _undefined(sample, m, grouping, len(groups), used, same_scores[m])
        figure = (
            Estimate(None, reason=reason) if reason else Estimate(float(np.clip(means[m], -1, 1)))
        )
        rows.append(
            Correlation(
                metric=name,
                coefficient=coefficient,
                grouping=grouping,
                figure=figure,
                n=len(groups.order),
                groups=len(groups),
                used=0 if reason else used,
                too_few=int(np.count_nonzero(too_few)),
                gold_constant=int(np.count_nonzero(same_gold)),
                metric_constant=int(np.count_nonzero(same_scores[m])),
            )
        )
    return rows


def _undefined(
    sample: ScoredSample,
    metric: int,
    grouping: Grouping,
    groups: int,
    used: int,
    same_scores: NDArray[np.bool_],
) -> str:
    if sample.n < MIN_CANDIDATES:
        return f"too few judged candidates: {sample.n} ({MIN_CANDIDATES} are needed)"
    if flaw := sample.undefined_reason(metric):
        return flaw
    if used:
        return ""
    if grouping == "none":
        return f"people gave every candidate the same score, {sample.gold[0]:g}"
    if not groups:
        return "no candidate's system is known"
    name = GROUP_NAMES[grouping]
    if same_scores.any():
        return f"the metric gives all candidates of each {name} the same score"
    return f"no {name} has two candidates that people score differently"
