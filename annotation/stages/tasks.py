"""Periodic tasks for stages."""

from __future__ import annotations

from django.utils.timezone import now

from annotation.stages.services import completing
from core.jobs import periodic


@periodic(every=20.0)
def announce_complete() -> None:
    """Announce stages that are complete."""
    completing.announce_complete(at=now())
