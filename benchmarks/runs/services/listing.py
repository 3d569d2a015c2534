"""Lists of runs: their names for people, and how long they wait."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from benchmarks.runs.models import MetricRun, visible_runs
from benchmarks.sets.models import JudgmentSet

COMPLETE = MetricRun.Status.COMPLETE


def complete_runs(judgment_set: JudgmentSet) -> list[MetricRun]:
    """Visible complete runs without their statistics, each with its `name` for people."""
    runs = visible_runs(judgment_set).filter(status=COMPLETE).defer("statistics")
    return with_names(list(runs.order_by("metric", "multi_ref", "pk")))


def with_names(runs: list[MetricRun]) -> list[MetricRun]:
    """The runs, each with `name`: the metric, and how references are combined if not by max."""
    for run, name in zip(runs, column_names(runs), strict=True):
        run.name = name  # type: ignore[attr-defined]
    return runs


def column_names(runs: Sequence[MetricRun]) -> list[str]:
    """A name for each run: the metric, and how references are combined where that is `joint`.

    Submissions of one name are told apart by their number.
    """
    names = [f"{run.metric}/joint" if run.multi_ref == "joint" else run.metric for run in runs]
    seen = Counter(names)
    return [
        f"{name} (no. {run.submission_id})" if run.submission_id and seen[name] > 1 else name
        for name, run in zip(names, runs, strict=True)
    ]


def active_runs_before(run: MetricRun) -> int:
    """How many runs, of any set, were asked for before this one and are not done."""
    active = MetricRun.objects.filter(status__in=MetricRun.ACTIVE)
    return active.filter(created_at__lt=run.created_at).exclude(pk=run.pk).count()


def oldest_wait(judgment_set: JudgmentSet, *, at: datetime) -> float | None:
    """Seconds since the oldest queued run of the set was asked for; None when none is queued."""
    queued = judgment_set.runs.filter(status=MetricRun.Status.QUEUED).order_by("created_at")
    asked = queued.values_list("created_at", flat=True).first()
    return None if asked is None else (at - asked).total_seconds()
