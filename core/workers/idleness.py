"""End a worker's process when its models have not been used for some time.

Only the end of a process frees all its memory. The supervisor starts a new process, which loads
models when they are needed.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

from celery.signals import task_postrun, task_prerun, worker_ready

_CHECK_SECONDS = 1.0


class _TaskActivity:
    """The number of running tasks, and when the last one ended."""

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
    """End this process's Celery worker when models are loaded and no task ran for `seconds`.

    A running task is completed first.
    """
    activity = _TaskActivity()
    task_prerun.connect(activity.begin, weak=False)
    task_postrun.connect(activity.end, weak=False)

    def watch(**_: object) -> None:
        threading.Thread(
            target=_watch, args=(activity, seconds), name="idleness", daemon=True
        ).start()

    worker_ready.connect(watch, weak=False)


def _watch(activity: _TaskActivity, seconds: float) -> None:
    while not (_models_are_loaded() and activity.idle_seconds() > seconds):
        time.sleep(_CHECK_SECONDS)
    os.kill(os.getpid(), signal.SIGTERM)  # a task that has started is completed first


def _models_are_loaded() -> bool:
    return "torch" in sys.modules
