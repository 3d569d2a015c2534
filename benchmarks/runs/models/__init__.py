"""The tables of metric runs: runs, their chunks, submissions, and judges' answers."""

from benchmarks.runs.models.runs import (
    CriterionStatistics,
    MetricRun,
    MetricRunQuerySet,
    RunChunk,
    visible_runs,
)
from benchmarks.runs.models.submissions import JudgeAnswer, Submission

__all__ = [
    "CriterionStatistics",
    "JudgeAnswer",
    "MetricRun",
    "MetricRunQuerySet",
    "RunChunk",
    "Submission",
    "visible_runs",
]
