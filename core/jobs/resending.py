"""Work that is sent again: what dead workers held, and what the broker lost."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any, TypeVar

from celery import Task
from django.conf import settings
from django.utils.timezone import now

from core.jobs.leases import MESSAGE_LOST_AFTER
from core.jobs.sweeper import duty

Key = TypeVar("Key", int, str)
Stale = Callable[..., list[Key]]


def resend(task: Task[[Key], Any], stale: Stale[Key]) -> None:
    """Have workers send `task` again for the keys that `stale(at=, unclaimed_for=)` gives:
    at their start, when what lies unclaimed for one lease was left by another, and three times in
    a lease. Each source is a duty of its own, so that one that fails holds up no other."""
    duty(every=lambda: settings.SCORING_LEASE_SECONDS / 3, name=f"resend {task.name}")(
        partial(_resend, task, stale)
    )
    duty(every=None, name=f"resend {task.name} at the start")(
        partial(_resend_at_start, task, stale)
    )


def _resend(
    task: Task[[Key], Any], stale: Stale[Key], unclaimed_for: timedelta = MESSAGE_LOST_AFTER
) -> None:
    for key in stale(at=now(), unclaimed_for=unclaimed_for):
        task.delay(key)


def _resend_at_start(task: Task[[Key], Any], stale: Stale[Key]) -> None:
    _resend(task, stale, timedelta(seconds=settings.SCORING_LEASE_SECONDS))
