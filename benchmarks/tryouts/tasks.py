"""The Celery task of try-outs, and their deletion after a day."""

from __future__ import annotations

from django.utils.timezone import now

from benchmarks.tryouts import services as tryouts
from benchmarks.tryouts.models import TryOut
from core.jobs import periodic, queues, resend, row_task


@row_task("benchmarks.tasks.score_tryout", queue=queues.INTERACTIVE)
def score_tryout(tryout_id: int) -> None:
    """Score one try-out with the metrics that the web process does not compute."""
    tryouts.perform(tryout_id)


@periodic(every=3600.0)
def delete_old_tryouts() -> None:
    """Delete try-outs that are older than a day."""
    tryouts.delete_old(at=now())


resend(score_tryout, TryOut.stale)
