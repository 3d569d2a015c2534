"""Celery tasks of webhooks: keys in, everything else in the services."""

from __future__ import annotations

from celery import shared_task
from django.db import OperationalError
from django.utils.timezone import now

from core.jobs import periodic
from core.webhooks.services import delivering


@shared_task(
    autoretry_for=(OperationalError,), retry_backoff=True, retry_backoff_max=60, max_retries=10
)
def deliver(key: str) -> None:
    """Send one message; delivered twice, it is sent once."""
    delivering.deliver(key, at=now())


@periodic(every=2.0)
def send_due() -> int:
    """Send tasks for new messages, retries, and what dead workers held; returns how many."""
    due = delivering.due(at=now())
    for key in due:
        deliver.delay(key)
    return len(due)


@periodic(every=3600.0)
def forget_old_messages() -> None:
    """Delete messages whose term is over."""
    delivering.sweep(at=now())
