"""Check whether a worker is alive, and start one if necessary."""

from __future__ import annotations

import math
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from celery import current_app
from django.conf import settings

from core.jobs.broker import BROKER_ERRORS, broker
from core.processes import die_with_parent

START_TIMEOUT_SECONDS = 240.0
PING_SECONDS = 5.0
_ASK_EVERY_SECONDS = 10.0
_asking = threading.Lock()
_asked_at, _answered = -math.inf, True


def worker_command() -> list[str]:
    """The command that starts a worker with all its pools, in the project's folder."""
    return [sys.executable, "manage.py", "worker"]


def has_worker_answered() -> bool:
    """Whether a worker answered lately, for pages that are polled.

    This process asks at most every `_ASK_EVERY_SECONDS`, and one thread at a time; the others get
    the last answer. Without the broker no worker answers.
    """
    global _asked_at, _answered
    if time.monotonic() - _asked_at > _ASK_EVERY_SECONDS and _asking.acquire(blocking=False):
        try:
            with broker() as connection:
                _answered = bool(
                    current_app.control.ping(timeout=0.5, limit=1, connection=connection)
                )
        except BROKER_ERRORS:
            _answered = False
        finally:
            _asked_at = time.monotonic()
            _asking.release()
    return _answered


def is_worker_alive(timeout: float = 1.0) -> bool:
    """Whether any worker answers a ping within `timeout` seconds."""
    deadline = time.monotonic() + timeout
    while (seconds_left := deadline - time.monotonic()) > 0:
        # With a limit, a late answer to an earlier ping ends this one early. A ping or its answer
        # can be lost while a worker starts, so it is repeated.
        if current_app.control.ping(timeout=min(seconds_left, PING_SECONDS), limit=1):
            return True
    return False


@contextmanager
def ensure_worker() -> Iterator[None]:
    """Have a worker alive during the block: a running one, or one started for the block."""
    if is_worker_alive():
        yield
        return
    worker = start_worker()
    try:
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while not is_worker_alive():
            if worker.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"The worker did not start. See {worker_log()}")
        yield
    finally:
        stop_worker(worker)


def start_worker() -> subprocess.Popen[bytes]:
    """Start a worker that does not outlive this process and logs to var/log."""
    with open(worker_log(), "ab") as log:
        return subprocess.Popen(
            worker_command(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            cwd=settings.BASE_DIR,
            start_new_session=True,  # Ctrl-C is for the parent, which then stops the worker
            preexec_fn=die_with_parent(),
        )


def stop_worker(worker: subprocess.Popen[bytes], timeout: float = 20.0) -> None:
    """Let a worker finish its task; kill it after `timeout` seconds."""
    worker.terminate()
    try:
        worker.wait(timeout)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()


def worker_log() -> str:
    folder = settings.VAR_DIR / "log"
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder / "worker.log")
