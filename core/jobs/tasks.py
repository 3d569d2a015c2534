"""Declare Celery tasks and route them to queues."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypedDict

from celery import Task, shared_task

from core.database_errors import DATABASE_AWAY
from core.jobs.queues import JOBS


class TaskRetries(TypedDict):
    """Celery's options for retries."""

    autoretry_for: tuple[type[Exception], ...]
    retry_backoff: bool
    retry_backoff_max: int
    max_retries: int


# Tasks are retried while the database cannot be reached.
_RETRIES: TaskRetries = {
    "autoretry_for": DATABASE_AWAY,
    "retry_backoff": True,
    "retry_backoff_max": 60,
    "max_retries": 10,
}
_queues: dict[str, str] = {}  # by the task's name
_lane_tasks: set[str] = set()


def row_task(name: str, queue: str = JOBS) -> Callable[[Callable[[int], None]], Task[[int], None]]:
    """Declare a Celery task that takes a primary key.

    name: must not change when the function moves; messages in a broker refer to it.
    queue: one of `core.jobs.queues`.

    The function must be safe to run twice for the same key: a message may be delivered again. It
    is retried while the database cannot be reached.
    """
    _queues[name] = queue
    return shared_task(name=name, **_RETRIES)


def lane_task(name: str) -> Callable[[Callable[[str], None]], Task[[str], None]]:
    """Declare a Celery task like `row_task` whose argument is the name of its queue.

    The task chooses its row when a worker runs it.
    """
    _lane_tasks.add(name)
    return shared_task(name=name, **_RETRIES)


def route(name: str, args: Sequence[str], *_: object, **__: object) -> dict[str, str]:
    """Celery's router: the queue of a message."""
    return {"queue": args[0] if name in _lane_tasks else _queues.get(name, JOBS)}
