"""Celery tasks and periodic jobs of webhooks."""

from __future__ import annotations

from celery import shared_task
from django.utils.timezone import now

from core.database_errors import DATABASE_AWAY
from core.jobs import periodic
from core.webhooks.services import delivering


@shared_task(autoretry_for=DATABASE_AWAY, retry_backoff=True, retry_backoff_max=60, max_retries=10)
def deliver(key: str) -> None:
    """Send one message. A repeated task sends nothing."""
    delivering.deliver(key, at=now())


@periodic(every=2.0)
def send_due() -> int:
    """Send tasks for new messages, retries, and messages of dead workers. Returns their number."""
    due = delivering.due(at=now())
    for key in due:
        deliver.delay(key)
    return len(due)


@periodic(every=3600.0)
def forget_old_messages() -> None:
    """Delete messages that are older than the retention period."""
    delivering.sweep(at=now())
