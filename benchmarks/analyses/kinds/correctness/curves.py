"""Curves over all thresholds of a metric, and its calibration, on the reported part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.analyses.kinds.correctness.computation import make_sample
from benchmarks.analyses.kinds.correctness.parameters import CorrectnessParameters, divide
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.meta import correctness
from concord.meta.correctness import Calibration, Curve

# A plot has about this many pixels; more points would only make the file larger.
MAX_POINTS = 400


@dataclass(frozen=True)
class Curves:
    """The curves and calibration of a metric.

    roc, precision_recall: with at most MAX_POINTS points. correct: the share of answers that people
    find correct.
    """

    roc: Curve
    precision_recall: Curve
    calibration: Calibration
    average_precision: float
    correct: float
    n: int


def compute(
    judgment_set: JudgmentSet, run: MetricRun, resolved: CorrectnessParameters
) -> Curves | str:
    """The curves of a complete run, or the reason why it has none."""
    sample = make_sample(judgment_set, [run])
    if sample.undefined_reason(0):
        return sample.undefined_reason(0)
    assert resolved.gold is not None
    part = divide(judgment_set, sample, resolved).reported
    verdicts = correctness.gold_verdicts(sample.gold, resolved.gold)[part]
    if reason := correctness.one_verdict_reason(verdicts):
        return reason
    scores = sample.scores[0][part]
    steps = correctness.threshold_steps(scores, verdicts)
    return Curves(
        correctness.thin_curve(correctness.roc(steps), MAX_POINTS),
        correctness.thin_curve(correctness.precision_recall(steps), MAX_POINTS),
        correctness.calibration(scores, verdicts, sample.clusters[part]),
        correctness.average_precision(steps),
        float(np.mean(verdicts)),
        len(verdicts),
    )
