"""Candidates behind a metric's correlation: points of the scatter plot, largest disagreements."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import NDArray

from benchmarks.runs.models import MetricRun
from benchmarks.runs.services.metrics import metric_of
from benchmarks.sets.models import Candidate, JudgmentSet
from benchmarks.sets.services import frames, hidden
from concord.meta import rank_differences

Points = tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]


@dataclass(frozen=True)
class MetricDisagreement:
    """A candidate, its score by the metric, and how far its rank is from people's.

    `difference` is the share of all candidates between the two ranks; positive where the metric
    ranks the candidate higher than people do.
    """

    candidate: Candidate
    score: float
    difference: float


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


def largest(run: MetricRun, count: int, **labels: str) -> list[MetricDisagreement]:
    """The `count` judged candidates with the largest difference in rank, largest first."""
    positions, gold, scores = points(run, **labels)
    oriented = scores if metric_of(run).higher_is_better else -scores
    differences = rank_differences(oriented, gold)
    order = np.argsort(-np.abs(differences), kind="stable")[:count]
    candidates = _candidates(run.judgment_set, positions[order].tolist())
    return [
        MetricDisagreement(candidate, float(scores[i]), float(differences[i]))
        for candidate, i in zip(candidates, order, strict=True)
    ]


def _candidates(judgment_set: JudgmentSet, positions: list[int]) -> list[Candidate]:
    """The candidates at `positions`, in this order, with instance and ratings."""
    rows = judgment_set.candidates.filter(position__in=positions)
    by_position = {c.position: c for c in rows.with_instance().prefetch_related("ratings")}
    return [by_position[position] for position in positions]


def shares_below(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The share of the other values below each of finite `values`, (n,).

    Equal values count half. The share of a single value is 0.
    """
    shares: NDArray[np.float64] = (scipy.stats.rankdata(values) - 1) / max(len(values) - 1, 1)
    return shares
