"""How a task is declared."""

from __future__ import annotations

from collections.abc import Callable

from celery import Task, shared_task
from django.db import OperationalError

Work = Callable[[int], None]


def row_task(name: str) -> Callable[[Work], Task[[int], None]]:
    """Declare a Celery task that takes one primary key and is retried while the database is away.

    `name` stays when the function moves, so that messages which wait in a broker still find it.
    The function must be safe to run twice for one key: a message may be delivered again.
    """
    return shared_task(
        name=name,
        autoretry_for=(OperationalError,),
        retry_backoff=True,
        retry_backoff_max=60,
        max_retries=10,
    )
