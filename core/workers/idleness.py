"""Ending a worker's process when its models have not been used for a while.

Only the end of the process gives all its memory back. Its supervisor starts a new one at once,
which loads models when they are next needed.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

from celery.signals import task_postrun, task_prerun, worker_ready

_CHECK_SECONDS = 1.0


class _Use:
    """How many tasks run, and when the last one ended."""

    def __init__(self) -> None:
        self.running = 0
        self.ended_at = time.monotonic()
        self.lock = threading.Lock()

    def begin(self, **_: object) -> None:
        with self.lock:
            self.running += 1

    def end(self, **_: object) -> None:
        with self.lock:
            self.running -= 1
            self.ended_at = time.monotonic()

    def idle_seconds(self) -> float:
        with self.lock:
            return 0.0 if self.running else time.monotonic() - self.ended_at


def end_when_idle(seconds: float) -> None:
    """Have this process's Celery worker end, without dropping a task, once models are loaded and no
    task has run for `seconds`."""
    use = _Use()
    task_prerun.connect(use.begin, weak=False)
    task_postrun.connect(use.end, weak=False)

    def watch(**_: object) -> None:
        threading.Thread(target=_watch, args=(use, seconds), name="idleness", daemon=True).start()

    worker_ready.connect(watch, weak=False)


def _watch(use: _Use, seconds: float) -> None:
    while not (_models_are_loaded() and use.idle_seconds() > seconds):
        time.sleep(_CHECK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)  # which lets a task that came meanwhile end first


def _models_are_loaded() -> bool:
    return "torch" in sys.modules
