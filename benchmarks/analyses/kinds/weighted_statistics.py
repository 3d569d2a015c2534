"""The analysis "weighted-statistics": the figures of a board whose candidates have weights.

It stores them with the metric runs; its own result is their number.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TypedDict

from benchmarks.analyses import leaderboards
from benchmarks.analyses.kind import AnalysisKind
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import JudgmentSet
from concord.meta import REVISION
from concord.meta.inference import Progress

NAME = "weighted-statistics"


@dataclass(frozen=True)
class NoParameters:
    """The figures are those of the board."""


class WeightedStatistics(TypedDict):
    """The number of metric runs."""

    runs: int


def compute(
    judgment_set: JudgmentSet,
    runs: Sequence[MetricRun],
    parameters: NoParameters,
) -> Generator[Progress, None, WeightedStatistics]:
    yield from leaderboards.compute_missing(judgment_set, runs)
    return {"runs": len(runs)}


def cost(judgment_set: JudgmentSet, metrics: int, parameters: NoParameters) -> float:
    """Estimated seconds on one core: 2 s for a metric with 3,000 rated candidates, 30 s with 40,000
    (measured without groups; all candidates count here, so it is an upper bound)."""
    n = float(judgment_set.n_candidates)
    return metrics * (3e-8 * n**2 + 7e-4 * n)


KIND = AnalysisKind(
    name=NAME,
    parameters=NoParameters,
    compute=compute,
    document=WeightedStatistics,
    cost=cost,
    revision=REVISION,
)
