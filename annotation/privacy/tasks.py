"""What is done from time to time for workers' privacy."""

from __future__ import annotations

from celery import shared_task
from django.utils.timezone import now

from annotation.privacy.services import retention
from core.jobs import periodic


@shared_task(name="annotation.tasks.drop_old_identities")
def drop_old_identities() -> None:
    """Drop the ids of workers whose term is over."""
    retention.release_due(at=now())


@periodic(every=3600.0)
def drop_identities() -> None:
    """Send the task that drops identities whose term is over."""
    drop_old_identities.delay()
