"""How the results of analyses name a metric run."""

from __future__ import annotations

from benchmarks.runs.models import MetricRun
from concord.documents.comparison import RunName


def run_name(run: MetricRun) -> RunName:
    """The keys by which a result names a run."""
    return {
        "run": run.pk,
        "metric": run.metric,
        "multi_ref": run.multi_ref,
        "signature": run.signature,
    }
