"""Agreement of metrics with people: pooled, averaged by item, averaged by system."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from concord.arrays import Floats
from concord.inference import TOLERANCE, Estimate
from concord.meta.correlation import MIN_CANDIDATES, left_out_values
from concord.meta.inference.draws import Progress, Steps
from concord.meta.inference.estimators import Coefficient, estimator
from concord.meta.inference.figures import Comparison, MetricFigures
from concord.meta.inference.sample import Grouping, ScoredSample


@dataclass(frozen=True, slots=True)
class Correlation:
    """One metric's correlation with people, averaged over groups of candidates.

    figure: in [-1, 1], higher is better; undefined with a reason. n: number of candidates. groups:
    number of groups. used: number of groups in the average. The other groups have fewer than two
    candidates (`too_few`), the same gold score for all candidates (`gold_constant`), or different
    gold scores and the same metric score for all (`metric_constant`).
    """

    metric: str
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
        counts = [int(np.count_nonzero(one)) for one in (too_few, same_gold, same_scores[m])]
        figure = Estimate(float(np.clip(means[m], -1, 1)))
        if reason := _undefined(sample, m, grouping, len(groups), used, counts[2]):
            figure, used = Estimate(None, reason=reason), 0
        rows.append(
            Correlation(
                metric=name,
                figure=figure,
                n=len(groups.order),
                groups=len(groups),
                used=used,
                too_few=counts[0],
                gold_constant=counts[1],
                metric_constant=counts[2],
            )
        )
    return rows


# The name of each coefficient that can be computed without each passage.
LEFT_OUT: dict[Coefficient, str] = {
    "pearson": "pearson",
    "spearman": "spearman",
    "kendall_b": "kendall",
}


def left_out_steps(
    sample: ScoredSample, coefficient: Coefficient, weights: Floats | None = None
) -> Steps[MetricFigures]:
    """The figures of all metrics over all candidates, by the jackknife over passages; a step a
    metric. coefficient: one of LEFT_OUT. weights: (n,), as of `concord.meta.correlation`."""
    passages = len(np.unique(sample.clusters))
    observed = np.full(len(sample.metrics), np.nan)
    values = np.full((passages, len(observed)), np.nan)
    varies = sample.n >= MIN_CANDIDATES and np.ptp(sample.gold) > 0
    for m in np.flatnonzero(sample.has_figures).tolist() if varies else ():
        observed[m], values[:, m] = left_out_values(
            LEFT_OUT[coefficient], sample.scores[m], sample.gold, sample.clusters, weights
        )
        yield Progress(m + 1, len(observed))
    units = (("passages", passages),)
    return MetricFigures(sample.metrics, observed, values, units, left_out=True, n=sample.n)


def correlations_between(sample: ScoredSample) -> Floats:
    """Pearson's r of the scores of every two metrics, (M, M), NaN where either has no figure."""
    m = len(sample.metrics)
    r = np.full((m, m), np.nan)
    defined = np.flatnonzero(sample.has_figures)
    if len(defined) and sample.n > 1:
        r[np.ix_(defined, defined)] = np.corrcoef(sample.scores[defined]).reshape(len(defined), -1)
    return r


def williams(sample: ScoredSample) -> Comparison:
    """Williams' test of every pair of metrics, on their pooled Pearson correlations.

    With r1, r2 of the two metrics with gold, r12 between them, and n the judged candidates,

        t = (r1 - r2) sqrt((n - 1) (1 + r12))
            / sqrt(2 K (n - 1) / (n - 3) + (r1 + r2)^2 / 4 (1 - r12)^3),
        K = 1 - r1^2 - r2^2 - r12^2 + 2 r1 r2 r12,

    has Student's t with n - 3 degrees of freedom (Williams 1959; Graham and Baldwin 2014, Testing
    for Significance of Increased Correlation with Human Judgment). It assumes independent
    candidates. Undefined below four candidates; p_greater is 0.5 where the figures are equal.
    """
    n = sample.n
    values = estimator(sample, "pearson").means()[0]
    values[~sample.has_figures | (n < 4)] = np.nan
    r1, r2, r12 = values[:, None], values, correlations_between(sample)
    with np.errstate(divide="ignore", invalid="ignore"):
        k = 1 - r1**2 - r2**2 - r12**2 + 2 * r1 * r2 * r12
        spread = 2 * np.maximum(k, 0.0) * (n - 1) / (n - 3) + (r1 + r2) ** 2 / 4 * (1 - r12) ** 3
        t = (r1 - r2) * np.sqrt((n - 1) * (1 + r12)) / np.sqrt(spread)
        t = np.where(np.abs(r1 - r2) <= TOLERANCE, 0.0 * (r1 - r2), t)
    p_greater = scipy.special.stdtr(max(1, n - 3), -t)
    np.fill_diagonal(p_greater, np.nan)
    return Comparison(values, p_greater, np.minimum(1.0, 2 * np.minimum(p_greater, p_greater.T)))


def _undefined(
    sample: ScoredSample, metric: int, grouping: Grouping, groups: int, used: int, same_scores: int
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
    name = "item" if grouping == "item" else "system"
    if same_scores:
        return f"the metric gives all candidates of each {name} the same score"
    return f"no {name} has two candidates that people score differently"
