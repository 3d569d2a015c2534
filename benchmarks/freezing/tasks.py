"""The Celery task of freezing, and the deletion of old freezings."""

from __future__ import annotations

from django.utils.timezone import now

from benchmarks.freezing import services as freezing
from benchmarks.freezing.models import Freezing
from core.jobs import periodic, resend, row_task


@row_task("benchmarks.tasks.freeze_study")
def freeze_study(freezing_id: int) -> None:
    """Freeze one study, or compute its preview."""
    freezing.perform(freezing_id)


@periodic(every=3600.0)
def delete_old_freezings() -> None:
    """Delete freezings that ended long ago, but not their sets."""
    Freezing.delete_ended(at=now())


resend(freeze_study, Freezing.stale)
