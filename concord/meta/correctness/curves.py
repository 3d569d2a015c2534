"""ROC and precision-recall curves, and the areas under them.

`scores` are float64 (n,), finite, oriented so that higher is better; `correct` is bool (n,).
Answers of equal score have the same verdict at every threshold. Both curves need correct and wrong
answers; otherwise ValueError is raised.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy

from concord.arrays import Booleans, Floats, Integers
from concord.inference import Estimate, cluster_sums, scaled_interval, t_quantile
from concord.meta.correctness.verdicts import one_verdict_reason


@dataclass(frozen=True, eq=False)
class ThresholdSteps:
    """Counts at each of k thresholds, one for each distinct score.

    thresholds: (k,), decreasing; answers with score >= threshold are called correct. true, false:
    (k,), number of these answers that people find correct, and wrong. n_correct, n_wrong: number of
    all answers that people find correct, and wrong.
    """

    thresholds: Floats
    true: Integers
    false: Integers
    n_correct: int
    n_wrong: int


@dataclass(frozen=True, eq=False)
class Curve:
    """The m points of a curve in order: x, y and the threshold of each, all of shape (m,)."""

    x: Floats
    y: Floats
    thresholds: Floats


def threshold_steps(scores: Floats, correct: Booleans) -> ThresholdSteps:
    """The counts at every distinct score."""
    if scores.shape != correct.shape or scores.ndim != 1:
        raise ValueError(f"scores {scores.shape} and correct {correct.shape} must be one vector")
    if not np.isfinite(scores).all():
        raise ValueError("a score is missing")
    order = np.argsort(-scores, kind="stable")
    sorted_scores, verdicts = scores[order], correct[order]
    last = np.flatnonzero(
        np.append(sorted_scores[1:] != sorted_scores[:-1], len(sorted_scores) > 0)
    )
    true = np.cumsum(verdicts, dtype=np.int64)[last]
    n_correct = int(np.count_nonzero(correct))
    return ThresholdSteps(
        thresholds=sorted_scores[last],
        true=true,
        false=last + 1 - true,
        n_correct=n_correct,
        n_wrong=len(correct) - n_correct,
    )


def roc(counts: ThresholdSteps) -> Curve:
    """The ROC curve: false positive rate (x) and true positive rate (y).

    From (0, 0), where nothing is called correct (threshold infinity), to (1, 1).
    """
    _both(counts)
    return Curve(
        np.append(0.0, counts.false / counts.n_wrong),
        np.append(0.0, counts.true / counts.n_correct),
        np.append(np.inf, counts.thresholds),
    )


def precision_recall(counts: ThresholdSteps) -> Curve:
    """The precision-recall curve: recall (x) and precision (y), by increasing recall.

    It has one point for each threshold, and none at recall 0, where precision is undefined.
    """
    _both(counts)
    called = counts.true + counts.false
    return Curve(counts.true / counts.n_correct, counts.true / called, counts.thresholds.copy())


def average_precision(counts: ThresholdSteps) -> float:
    """Sum over thresholds of precision times the increase of recall, in [0, 1].

    The area under the precision-recall steps without interpolation, which would be too optimistic
    (Davis and Goadrich 2006). A constant metric has the share of correct answers.
    """
    curve = precision_recall(counts)
    return float(np.sum(np.diff(curve.x, prepend=0.0) * curve.y))


def auc(scores: Floats, correct: Booleans, clusters: Integers) -> Estimate:
    """Area under the ROC curve, in [0, 1], with a 95% interval clustered by passage.

    The probability that a correct answer scores higher than a wrong one; ties count half; 0.5 for a
    random metric. The interval is Obuchowski's (1997, Biometrics 53): each answer's share of the
    area is summed by cluster, and clusters are independent; of clusters of one answer the variance
    is DeLong's (1988). It has Student's quantile of clusters - 1 degrees of freedom, and is on the
    logit scale, so it lies within [0, 1]. There is none for an area of 0 or 1, or with a single
    cluster. Undefined where people gave one verdict only.
    """
    if reason := one_verdict_reason(correct):
        return Estimate(None, reason=reason)
    if not np.isfinite(scores).all():
        raise ValueError("a score is missing")
    m, n = int(np.count_nonzero(correct)), int(np.count_nonzero(~correct))
    pooled = scipy.stats.rankdata(scores)
    # For each answer: the share of answers with the other verdict that it is ordered rightly with.
    share = np.empty(len(scores))
    share[correct] = (pooled[correct] - scipy.stats.rankdata(scores[correct])) / n
    share[~correct] = 1 - (pooled[~correct] - scipy.stats.rankdata(scores[~correct])) / m
    area = float(share[correct].mean())
    sums = cluster_sums((share - area) / np.where(correct, m, n), clusters)
    groups = len(sums)
    if groups < 2 or not 0 < area < 1:
        return Estimate(area)
    variance = groups / (groups - 1) * float(np.sum(sums**2))
    half = t_quantile(0.975, groups - 1) * math.sqrt(variance)
    low, high = scaled_interval(area, half, "share")
    return Estimate(area, low, high, n=m + n, clusters=groups, unit="passages", over="passages")


def thin_curve(curve: Curve, max_points: int) -> Curve:
    """At most `max_points` points of a curve, spaced evenly along it, including both ends.

    For plots: a curve of 40,000 points looks the same with 400.
    """
    if len(curve.x) <= max_points:
        return curve
    path = np.cumsum(np.abs(np.diff(curve.x, prepend=0)) + np.abs(np.diff(curve.y, prepend=0)))
    indices = np.searchsorted(path, np.linspace(path[0], path[-1], max_points))
    keep = np.unique(np.concatenate([[0], indices, [len(curve.x) - 1]]))
    return Curve(curve.x[keep], curve.y[keep], curve.thresholds[keep])


def _both(counts: ThresholdSteps) -> None:
    if not counts.n_correct or not counts.n_wrong:
        raise ValueError("people gave one verdict only")
