"""Send tasks again: those of dead workers, and those that the broker lost."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import TypeVar

from celery import Task
from django.conf import settings
from django.utils.timezone import now

from core.jobs.leases import MESSAGE_LOST_AFTER
from core.jobs.scheduler import periodic

Key = TypeVar("Key", int, str)
Stale = Callable[..., list[Key]]


def resend(task: Task[[Key], None], stale: Stale[Key]) -> None:
    """Have every worker send `task` again for the keys that `stale(at=, unclaimed_for=)` returns.

    A worker does so three times in the length of a lease, and when it starts. At the start, a task
    that nobody has taken for one lease counts as lost.
    """
    periodic(every=lambda: settings.SCORING_LEASE_SECONDS / 3, name=f"resend {task.name}")(
        partial(_resend, task, stale)
    )
    periodic(every=None, name=f"resend {task.name} at the start")(
        partial(_resend_at_start, task, stale)
    )


def _resend(
    task: Task[[Key], None], stale: Stale[Key], unclaimed_for: timedelta = MESSAGE_LOST_AFTER
) -> None:
    for key in stale(at=now(), unclaimed_for=unclaimed_for):
        task.delay(key)


def _resend_at_start(task: Task[[Key], None], stale: Stale[Key]) -> None:
    _resend(task, stale, timedelta(seconds=settings.SCORING_LEASE_SECONDS))
