"""Scores of every metric on the minimal pairs that a set's viewer may see."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.analyses import samples
from benchmarks.analyses.leaderboards import complete_board_runs
from benchmarks.analyses.services import work
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import frames, hidden


@dataclass(frozen=True)
class PairScores:
    """M complete runs on P pairs.

    better, worse: float64 (M, P), higher is better, NaN without a score.
    constituents, phenomena: str (P,), "" where there is none. clusters: int64 (P,), passages.
    """

    runs: list[MetricRun]
    better: NDArray[np.float64]
    worse: NDArray[np.float64]
    constituents: NDArray[np.str_]
    phenomena: NDArray[np.str_]
    clusters: NDArray[np.int64]

    @property
    def n(self) -> int:
        return len(self.phenomena)


def read(judgment_set: JudgmentSet) -> PairScores | None:
    """The scores of all complete runs; None without a complete run or a visible pair."""
    visible = np.flatnonzero(~hidden.viewer_masks(judgment_set).pairs)
    pks = [run.pk for run in complete_board_runs(judgment_set)]
    if not pks or not len(visible):
        return None
    runs = work.load_runs(judgment_set, pks)
    members = np.stack([samples.oriented_scores(run)[judgment_set.n_candidates :] for run in runs])
    frame = frames.frame(judgment_set)
    return PairScores(
        runs,
        members[:, 0::2][:, visible],
        members[:, 1::2][:, visible],
        frame.pair_labels["constituent"][visible],
        frame.pair_labels["phenomenon"][visible],
        frame.pair_clusters[visible],
    )
