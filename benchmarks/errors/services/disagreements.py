"""Candidates behind a metric's correlation: points of the scatter plot."""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import NDArray

from benchmarks.runs.models import MetricRun
from benchmarks.sets.services import frames, hidden

Points = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]


def points(run: MetricRun, **labels: str) -> Points:
    """(positions, gold, scores) of the judged candidates, each of shape (n,).

    Leaves out candidates whose labels are hidden from the viewer of the run's set. labels: restrict
    the candidates, such as `system="gpt2"`. Scores are the metric's own; lower may be better.
    """
    frame = frames.frame(run.judgment_set)
    mask = frame.judged & ~hidden.viewer_masks(run.judgment_set).candidates
    for grouping, name in labels.items():
        mask &= frame.labels[grouping] == name
    positions = np.flatnonzero(mask).astype(np.int64)
    return positions, frame.gold[positions], run.score_array[positions]


def shares_below(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of the other values below each of finite `values`, (n,).

    Equal values count half. The share of a single value is 0.
    """
    shares: NDArray[np.float64] = (scipy.stats.rankdata(values) - 1) / max(len(values) - 1, 1)
    return shares
