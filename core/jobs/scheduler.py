"""Periodic jobs of a worker, in one thread.

A periodic job finds what is due and sends tasks for it: expired leases, lost messages, retries. An
error is logged with its traceback. The job then runs again after a pause that doubles with each
consecutive failure; the other jobs continue.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from typing import TypeVar

from celery import Task
from celery.signals import worker_ready
from django.conf import settings
from django.db import connection
from django.utils.timezone import now

from core.jobs.leases import MESSAGE_LOST_AFTER

logger = logging.getLogger(__name__)
MAX_PAUSE_SECONDS = 300.0

Work = Callable[[], object]
Seconds = Callable[[], float] | float


@dataclass
class PeriodicJob:
    """A function that runs every `every` seconds; None: once, when the worker starts."""

    work: Work
    every: Seconds | None
    name: str = "a periodic job"
    next_at: float = 0.0
    failures: int = 0

    def run(self, at: float) -> None:
        """Run the job and set when it is due again, whatever it raises."""
        try:
            self.work()
            self.failures = 0
        except Exception:
            self.failures += 1
            logger.exception("periodic job %s failed (%d in a row)", self.name, self.failures)
            connection.close()  # it may be the cause
        self.next_at = at + self._pause()

    def _pause(self) -> float:
        every = self.every() if callable(self.every) else self.every
        if not self.failures:
            return float("inf") if every is None else every
        return max(every or 0.0, min(MAX_PAUSE_SECONDS, 2.0 ** (self.failures - 1)))


@dataclass
class Scheduler:
    """Runs jobs when they are due, until it is stopped."""

    jobs: list[PeriodicJob] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    def run_due(self, at: float) -> float:
        """Run the jobs that are due; returns the seconds until the next one.

        They share a database connection, which is closed afterwards.
        """
        for job in self.jobs:
            if job.next_at <= at:
                job.run(at)
        connection.close()
        return max(0.0, min((job.next_at for job in self.jobs), default=1.0) - at)

    def run_forever(self) -> None:
        while not self.stopped.is_set():
            self.stopped.wait(max(0.05, min(60.0, self.run_due(time.monotonic()))))


_SCHEDULER = Scheduler()
_enabled = True


def periodic(every: Seconds | None, name: str = "") -> Callable[[Work], Work]:
    """Decorate a function that every worker runs every `every` seconds; None: once, at its start.

    every: seconds, or a function that returns them, for an interval that depends on settings.
    name: for the log; by default the function's name.
    """

    def register(work: Work) -> Work:
        _SCHEDULER.jobs.append(
            PeriodicJob(work, every, name or f"{work.__module__}.{work.__qualname__}")
        )
        return work

    return register


def disable() -> None:
    """Run no periodic jobs in this process: another process of the worker runs them."""
    global _enabled
    _enabled = False


@worker_ready.connect
def start_scheduler(**_: object) -> None:
    """Start the thread that runs the periodic jobs."""
    if not _enabled:
        return
    threading.Thread(target=_SCHEDULER.run_forever, name="scheduler", daemon=True).start()


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
