"""The Celery task of try-outs, and their deletion after a day."""

from __future__ import annotations

from django.utils.timezone import now

from benchmarks.tryouts import services as tryouts
from core.jobs import periodic, queues

score_tryout = tryouts.TRY_OUTS.declare_task("benchmarks.tasks.score_tryout", queues.INTERACTIVE)


@periodic(every=3600.0)
def delete_old_tryouts() -> None:
    """Delete try-outs that are older than a day."""
    tryouts.delete_old(at=now())
