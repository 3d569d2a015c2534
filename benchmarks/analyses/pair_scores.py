"""What every metric gives the minimal pairs that a set's viewer may see."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.analyses import samples
from benchmarks.analyses.leaderboards import board_runs
from benchmarks.analyses.services import work
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames, hidden


@dataclass(frozen=True)
class PairScores:
    """M complete runs on P pairs.

    better, worse: float64 (M, P), turned so that higher is better, NaN without a score.
    constituents, phenomena: str (P,), "" where none is stated.
    """

    runs: list[MetricRun]
    better: NDArray[np.float64]
    worse: NDArray[np.float64]
    constituents: NDArray[np.str_]
    phenomena: NDArray[np.str_]

    @property
    def n(self) -> int:
        return len(self.phenomena)


def read(judgment_set: JudgmentSet) -> PairScores | None:
    """The scores of all complete runs; None without such a run or without pairs to see."""
    shown = np.flatnonzero(~hidden.viewer_masks(judgment_set).pairs)
    known = [run.pk for run in board_runs(judgment_set) if run.status == MetricRun.Status.COMPLETE]
    if not known or not len(shown):
        return None
    runs = work.loaded(judgment_set, known)
    members = np.stack([samples.turned(run)[judgment_set.n_candidates :] for run in runs])
    labels = frames.frame(judgment_set).pair_labels
    return PairScores(
        runs,
        members[:, 0::2][:, shown],
        members[:, 1::2][:, shown],
        labels["constituent"][shown],
        labels["phenomenon"][shown],
    )
