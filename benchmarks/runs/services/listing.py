"""Lists of runs: display names and waiting times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from benchmarks.runs.models import MetricRun, visible_runs
from benchmarks.sets.models import JudgmentSet

COMPLETE = MetricRun.Status.COMPLETE
JOINT_SUFFIX = "/joint"


def complete_runs(judgment_set: JudgmentSet) -> list[MetricRun]:
    """The visible complete runs with `name` and without their statistics."""
    runs = visible_runs(judgment_set).filter(status=COMPLETE).defer("statistics")
    return with_names(list(runs.order_by("metric", "multi_ref", "pk")))


def with_names(runs: list[MetricRun]) -> list[MetricRun]:
    """Set `name` of each run to its display name (see `column_names`)."""
    for run, name in zip(runs, column_names(runs), strict=True):
        run.name = name  # type: ignore[attr-defined]
    return runs


def column_names(runs: Sequence[MetricRun]) -> list[str]:
    """The display name of each run: the metric, with `/joint` if references are combined so.

    The number of a submission is added if several have the same name.
    """
    names = [display_name(run.metric, run.multi_ref) for run in runs]
    counts = Counter(names)
    return [
        f"{name} (no. {run.submission_id})" if run.submission_id and counts[name] > 1 else name
        for name, run in zip(names, runs, strict=True)
    ]


def display_name(metric: str, multi_ref: str) -> str:
    """The metric's name, with `/joint` if references are combined so."""
    return f"{metric}{JOINT_SUFFIX}" if multi_ref == "joint" else metric


def active_runs_before(run: MetricRun) -> int:
    """The number of active runs, of any set, that were requested before this one."""
    active = MetricRun.objects.filter(status__in=MetricRun.ACTIVE)
    return active.filter(created_at__lt=run.created_at).exclude(pk=run.pk).count()


def oldest_wait(judgment_set: JudgmentSet, *, at: datetime) -> float | None:
    """Seconds since the oldest queued run of the set was requested; None if none is queued."""
    queued = judgment_set.runs.filter(status=MetricRun.Status.QUEUED).order_by("created_at")
    requested_at = queued.values_list("created_at", flat=True).first()
    return None if requested_at is None else (at - requested_at).total_seconds()
