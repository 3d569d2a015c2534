"""The Celery task of freezing."""

from __future__ import annotations

from benchmarks.freezing import services as freezing
from benchmarks.freezing.models import Freezing
from core.jobs import resend, row_task


@row_task("benchmarks.tasks.freeze_study")
def freeze_study(freezing_id: int) -> None:
    """Freeze one study, or compute its preview."""
    freezing.perform(freezing_id)


resend(freeze_study, Freezing.stale)
