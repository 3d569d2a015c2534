"""One metric at every threshold: its curves and its calibration on the reported part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.correctness.services.options import Options, division
from benchmarks.correctness.services.results import sample_of
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.meta import correctness
from concord.meta.correctness import Bin, Curve
from concord.meta.figures import Figure

# More points than a plot has pixels only make it heavy.
MOST_POINTS = 400


@dataclass(frozen=True)
class Curves:
    """roc, precision_recall: thinned to what a plot can show, thresholds of the metric's own
    scores; bins: reliability, scores turned so that higher is better. correct: people's share."""

    roc: Curve
    precision_recall: Curve
    bins: list[Bin]
    average_precision: float
    ece: Figure
    brier: Figure
    correct: float
    n: int


def compute(judgment_set: JudgmentSet, run: MetricRun, settled: Options) -> Curves | str:
    """The curves of a complete run, or why it has none."""
    sample = sample_of(judgment_set, [run])
    if sample.undefined_reason(0):
        return sample.undefined_reason(0)
    assert settled.gold is not None
    part = division(judgment_set, sample, settled).reported
    right = correctness.gold_verdicts(sample.gold, settled.gold)[part]
    undefined = correctness.undefined_for_one_verdict(right)
    if undefined is not None:
        return undefined.reason
    scores = sample.scores[0][part]
    found = correctness.threshold_steps(scores, right)
    calibrated = correctness.calibration(scores, right)
    return Curves(
        correctness.thin_curve(correctness.roc(found), MOST_POINTS),
        correctness.thin_curve(correctness.precision_recall(found), MOST_POINTS),
        calibrated.bins,
        correctness.average_precision(found),
        calibrated.ece,
        calibrated.brier,
        float(np.mean(right)),
        len(right),
    )
