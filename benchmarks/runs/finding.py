"""Fetching the metric run of a URL."""

from __future__ import annotations

from benchmarks.runs.models import MetricRun, visible_runs
from benchmarks.sets.models import JudgmentSet
from core.refusals import RefusedError


def find_run(judgment_set: JudgmentSet, pk: int) -> MetricRun:
    """A run that the set's viewer may see, with its progress. Raises RefusedError."""
    run = visible_runs(judgment_set).with_progress().filter(pk=pk).first()
    if run is None:
        raise RefusedError(f"{judgment_set} has no metric run {pk}.", "not-found")
    run.judgment_set = judgment_set
    return run


def find_complete_run(judgment_set: JudgmentSet, pk: int) -> MetricRun:
    """A complete run that the set's viewer may see, with its scores. Raises RefusedError."""
    complete = visible_runs(judgment_set).filter(pk=pk, status=MetricRun.Status.COMPLETE)
    run = complete.defer(None).defer("known_scores").first()
    if run is None:
        raise RefusedError(f"{judgment_set} has no complete metric run {pk}.", "not-found")
    run.judgment_set = judgment_set
    return run
