"""How a task is declared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from celery import Task, shared_task
from django.db import OperationalError

from core.jobs.queues import JOBS

Work = Callable[[int], None]

#: A task is tried again while the database is away.
RETRIES: dict[str, Any] = {
    "autoretry_for": (OperationalError,),
    "retry_backoff": True,
    "retry_backoff_max": 60,
    "max_retries": 10,
}


def row_task(name: str, queue: str = JOBS) -> Callable[[Work], Task[[int], None]]:
    """Declare a Celery task that takes one primary key and is tried again while the database is
    away.

    `queue` is one of `core.jobs.queues`, the jobs' by default. `name` stays when the function
    moves, so that messages which wait in a broker still find it. The function must be safe to run
    twice for one key: a message may be delivered again.
    """
    return shared_task(name=name, queue=queue, **RETRIES)
