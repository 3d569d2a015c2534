"""What names a metric run in an analysis."""

from __future__ import annotations

from benchmarks.runs.models import MetricRun
from concord.meta.documents.comparison import RunName


def about(run: MetricRun) -> RunName:
    """What names a run in a result."""
    return {
        "run": run.pk,
        "metric": run.metric,
        "multi_ref": run.multi_ref,
        "signature": run.signature,
    }
