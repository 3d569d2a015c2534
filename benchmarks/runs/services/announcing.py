"""Webhook events of metric runs."""

from __future__ import annotations

from datetime import datetime

from benchmarks.runs.models import MetricRun
from benchmarks.sets.services.announcing import emit_set_event


def announce_run_end(run: MetricRun, *, at: datetime) -> None:
    """Emit that a run is complete or failed; for a private submission, only to its owner."""
    judgment_set = run.judgment_set
    data = {
        "judgment_set": str(judgment_set),
        "run": run.pk,
        "metric": run.metric,
        "signature": run.signature,
        "status": run.status,
        "reason": run.reason,
        "path": run.get_absolute_url(),
    }
    event = "run.done" if run.status == MetricRun.Status.COMPLETE else "run.failed"
    submission = run.submission
    is_private = submission is not None and submission.published_at is None
    owner = submission.owner if submission else None
    emit_set_event(event, judgment_set, data, at=at, owner=owner, is_private=is_private)
