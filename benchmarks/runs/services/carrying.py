"""Carrying metric runs over from a version of a set to the next one."""

from __future__ import annotations

from datetime import datetime

import scorers
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import runs
from benchmarks.sets.models import JudgmentSet


def carry_runs(judgment_set: JudgmentSet, *, at: datetime) -> list[MetricRun]:
    """Request the metrics of the previous version, and stop its runs that are not complete.

    Scores of the previous version are reused. Metrics that are not available any more, or whose
    model is missing, are skipped, and so are submissions: their owners submit to the new version.
    Metrics that compare with references are skipped where the new version has instances without.
    """
    without_references = runs.count_without_references(judgment_set)
    previous_runs = MetricRun.objects.filter(
        judgment_set__name=judgment_set.name,
        judgment_set__version=judgment_set.version - 1,
        submission=None,
    ).exclude(status=MetricRun.Status.CANCELLED)
    metrics = []
    for run in previous_runs.order_by("created_at", "pk"):
        try:
            (metric,) = scorers.parse_metrics(run.metric, multi_ref=run.multi_ref)
            metric.settings()
        except (scorers.MetricError, scorers.ModelError):
            continue
        if without_references and metric.facts.reads_references:
            continue
        metrics.append(metric)
        run.cancel(at=at, reason=f"Replaced by the run on {judgment_set}.")
    return runs.request_runs(judgment_set, metrics, at=at)
