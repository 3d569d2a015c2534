"""Agreement of metrics with people: pooled, averaged by item, averaged by system."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from concord.arrays import Booleans, Floats
from concord.inference import TOLERANCE, Estimate, jackknife_estimate
from concord.meta.correlation import MIN_CANDIDATES, left_out_values
from concord.meta.inference.draws import Progress, Steps
from concord.meta.inference.estimators import Coefficient, estimator
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
    figures = estimator(sample, coefficient, grouping)
    groups, values, means = figures.groups, figures.observed, figures.means()[0]
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


# The name of each coefficient that can be computed without each passage.
LEFT_OUT: dict[Coefficient, str] = {
    "pearson": "pearson",
    "spearman": "spearman",
    "kendall_b": "kendall",
}


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The figures of M metrics over all candidates, (M,), and without each passage, (G, M); NaN
    where undefined."""

    observed: Floats
    values: Floats
    n: int

    def figure(self, metric: int) -> Estimate:
        """The figure of one metric with its interval and the p-value of no association."""
        value = float(self.observed[metric])
        if np.isnan(value):
            return Estimate(None, reason="does not vary, or is incomplete")
        return jackknife_estimate(self.values[:, metric], value, "correlation", null=0.0, n=self.n)

    def difference(self, one: int, other: int) -> Estimate:
        """The figure of one metric less that of another, with its interval and p-value."""
        values = self.values[:, one] - self.values[:, other]
        value = float(self.observed[one] - self.observed[other])
        if np.abs(values).max() <= TOLERANCE:  # the same but for rounding
            values, value = np.zeros_like(values), 0.0
        return jackknife_estimate(values, value, "difference", null=0.0, n=self.n)


def left_out_steps(
    sample: ScoredSample, coefficient: Coefficient, weights: Floats | None = None
) -> Steps[LeftOut]:
    """The figures of all metrics over all candidates, by the jackknife over passages; a step a
    metric. coefficient: one of LEFT_OUT. weights: (n,), as of `concord.meta.correlation`."""
    observed = np.full(len(sample.metrics), np.nan)
    values = np.full((len(np.unique(sample.clusters)), len(observed)), np.nan)
    varies = sample.n >= MIN_CANDIDATES and np.ptp(sample.gold) > 0
    for m in np.flatnonzero(sample.has_figures).tolist() if varies else ():
        observed[m], values[:, m] = left_out_values(
            LEFT_OUT[coefficient], sample.scores[m], sample.gold, sample.clusters, weights
        )
        yield Progress(m + 1, len(observed))
    return LeftOut(observed, values, sample.n)


def _undefined(
    sample: ScoredSample,
    metric: int,
    grouping: Grouping,
    groups: int,
    used: int,
    same_scores: Booleans,
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
