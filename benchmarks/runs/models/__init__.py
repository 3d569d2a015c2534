"""The tables of metric runs: runs, their chunks, and submissions."""

from benchmarks.runs.models.runs import (
    CriterionStatistics,
    MetricRun,
    MetricRunQuerySet,
    RunChunk,
    visible_runs,
)
from benchmarks.runs.models.submissions import Submission

__all__ = [
    "CriterionStatistics",
    "MetricRun",
    "MetricRunQuerySet",
    "RunChunk",
    "Submission",
    "visible_runs",
]
