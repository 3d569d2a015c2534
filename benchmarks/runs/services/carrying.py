"""Metric runs of a set's version, asked for again on the next one."""

from __future__ import annotations

from datetime import datetime

import scorers
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import runs
from benchmarks.sets.models import JudgmentSet


def carry_runs(judgment_set: JudgmentSet, *, at: datetime) -> list[MetricRun]:
    """Ask for the metrics of the version before; only what its runs do not know is computed. Those
    of its runs that are not complete are stopped: the new version's take their place.

    Metrics that this installation no longer has, or whose model is gone, are left behind, and so
    are submissions: their owners submit to the new version.
    """
    earlier = MetricRun.objects.filter(
        judgment_set__name=judgment_set.name,
        judgment_set__version=judgment_set.version - 1,
        submission=None,
    ).exclude(status=MetricRun.Status.CANCELLED)
    metrics = []
    for run in earlier.order_by("created_at", "pk"):
        try:
            (metric,) = scorers.parse_metrics(run.metric, multi_ref=run.multi_ref)
            metric.settings()
        except (scorers.MetricError, scorers.ModelError):
            continue
        metrics.append(metric)
        runs.cancel_run(run.pk, at=at, reason=f"{judgment_set} took its place.")
    return runs.request_runs(judgment_set, metrics, at=at)
