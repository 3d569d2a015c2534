"""Periodic tasks for workers' privacy."""

from __future__ import annotations

from celery import shared_task
from django.utils.timezone import now

from annotation.privacy.services import retention
from core.jobs import periodic


@shared_task(name="annotation.tasks.drop_old_identities")
def drop_old_identities() -> None:
    """Remove the ids of workers whose retention period has ended."""
    retention.release_due(at=now())


@periodic(every=3600.0)
def drop_identities() -> None:
    """Send the task that removes old ids."""
    drop_old_identities.delay()
