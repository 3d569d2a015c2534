"""Periodic duties of a worker, in one supervised thread.

A duty finds what is due and sends tasks for it: lapsed leases, lost messages, retries. Any error of
a duty is logged with its traceback; the duty runs again after a pause that doubles with each
failure in a row, and the other duties go on meanwhile.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from celery.signals import worker_ready
from django.db import connection

logger = logging.getLogger(__name__)
MAX_PAUSE_SECONDS = 300.0

Work = Callable[[], object]
Seconds = Callable[[], float] | float


@dataclass
class Duty:
    """A function that is run every so many seconds; `every` None: once, when the worker starts."""

    work: Work
    every: Seconds | None
    name: str = "a duty"
    next_at: float = 0.0
    failures: int = 0

    def run(self, at: float) -> None:
        """Run it once and set when it is due again, whatever it raises."""
        try:
            self.work()
            self.failures = 0
        except Exception:
            self.failures += 1
            logger.exception("duty %s failed (%d in a row)", self.name, self.failures)
            connection.close()  # which may be what is broken
        self.next_at = at + self._pause()

    def _pause(self) -> float:
        every = self.every() if callable(self.every) else self.every
        if not self.failures:
            return float("inf") if every is None else every
        return max(every or 0.0, min(MAX_PAUSE_SECONDS, 2.0 ** (self.failures - 1)))


@dataclass
class Sweeper:
    """Runs duties when they are due, until it is stopped."""

    duties: list[Duty] = field(default_factory=list)
    stopped: threading.Event = field(default_factory=threading.Event)

    def run_due(self, at: float) -> float:
        """Run what is due at this time; returns the seconds until the next duty.

        The duties of a round share a connection to the database, which none holds in between.
        """
        for duty in self.duties:
            if duty.next_at <= at:
                duty.run(at)
        connection.close()
        return max(0.0, min((duty.next_at for duty in self.duties), default=1.0) - at)

    def run_forever(self) -> None:
        while not self.stopped.is_set():
            self.stopped.wait(max(0.05, min(60.0, self.run_due(time.monotonic()))))


_SWEEPER = Sweeper()
_enabled = True


def duty(every: Seconds | None, name: str = "") -> Callable[[Work], Work]:
    """Have every worker run the function every so many seconds; None: once, at its start.

    `every` may be a function, for an interval that settings decide. `name` is for the log; the
    function's by default.
    """

    def register(work: Work) -> Work:
        _SWEEPER.duties.append(Duty(work, every, name or f"{work.__module__}.{work.__qualname__}"))
        return work

    return register


def disable() -> None:
    """Have this process's Celery worker run no duties: another process beside it does."""
    global _enabled
    _enabled = False


@worker_ready.connect
def start_sweeper(**_: object) -> None:
    """Start the thread that runs all duties while the worker lives."""
    if not _enabled:
        return
    threading.Thread(target=_SWEEPER.run_forever, name="sweeper", daemon=True).start()
