"""How a task is declared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from celery import Task, shared_task

from core.database_errors import DATABASE_AWAY
from core.jobs.queues import JOBS

# A task is tried again while the database is away.
_RETRIES: dict[str, Any] = {
    "autoretry_for": DATABASE_AWAY,
    "retry_backoff": True,
    "retry_backoff_max": 60,
    "max_retries": 10,
}
_queues: dict[str, str] = {}  # by the task's name
_lane_tasks: set[str] = set()


def row_task(name: str, queue: str = JOBS) -> Callable[[Callable[[int], None]], Task[[int], None]]:
    """Declare a Celery task that takes one primary key and is tried again while the database is
    away.

    `queue` is one of `core.jobs.queues`. `name` stays when the function moves, so that messages
    which wait in a broker still find it. The function must be safe to run twice for one key: a
    message may be delivered again.
    """
    _queues[name] = queue
    return shared_task(name=name, **_RETRIES)


def lane_task(name: str) -> Callable[[Callable[[str], None]], Task[[str], None]]:
    """Declare a Celery task like `row_task` whose argument is its queue: what it works on is
    decided when a worker takes the message."""
    _lane_tasks.add(name)
    return shared_task(name=name, **_RETRIES)


def route(name: str, args: Any, *_: object, **__: object) -> dict[str, str]:
    """Celery's router: which queue a message goes to."""
    return {"queue": args[0] if name in _lane_tasks else _queues.get(name, JOBS)}
