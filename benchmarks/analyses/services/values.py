"""What names a metric run in an analysis, and a figure as JSON."""

from __future__ import annotations

from typing import Any

from benchmarks.runs.models import MetricRun
from concord.meta.figures import Figure


def about(run: MetricRun) -> dict[str, Any]:
    """What names a run in a result."""
    return {
        "run": run.pk,
        "metric": run.metric,
        "multi_ref": run.multi_ref,
        "signature": run.signature,
    }


def figure(found: Figure) -> dict[str, Any]:
    return found.to_json()
