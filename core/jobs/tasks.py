"""How a task is declared."""

from __future__ import annotations

from collections.abc import Callable

from celery import Task, shared_task
from django.db import OperationalError


def row_task(work: Callable[[int], None]) -> Task[[int], None]:
    """A Celery task that takes one primary key and is retried while the database is away.

    The function must be safe to run twice for one key: a message may be delivered again.
    """
    return shared_task(
        autoretry_for=(OperationalError,), retry_backoff=True, retry_backoff_max=60, max_retries=10
    )(work)
