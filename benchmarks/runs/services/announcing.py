"""What webhooks are told of metric runs."""

from __future__ import annotations

from datetime import datetime

from benchmarks.runs.models import MetricRun
from benchmarks.sets.services.announcing import tell


def run_ended(run: MetricRun, *, at: datetime) -> None:
    """A run is complete or failed. Of a submission that is private only its owner is told."""
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
    whose = submission.owner if submission else None
    tell(event, judgment_set, data, at=at, whose=whose, is_private=is_private)
