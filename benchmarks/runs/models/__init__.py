"""The tables of metric runs: runs, their chunks, and the metrics that people submit."""

from benchmarks.runs.models.runs import MetricRun, MetricRunQuerySet, RunChunk, visible_runs
from benchmarks.runs.models.submissions import Submission

__all__ = ["MetricRun", "MetricRunQuerySet", "RunChunk", "Submission", "visible_runs"]
