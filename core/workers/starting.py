"""Is a worker alive, and if none is, have one."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from celery import current_app
from django.conf import settings

from core.processes import die_with_parent

START_WITHIN = 240.0  # seconds; ends a hang


def worker_command() -> list[str]:
    """The command that starts a worker with all its pools; it runs in the project's folder."""
    return [sys.executable, "manage.py", "worker"]


def is_worker_alive(timeout: float = 1.0) -> bool:
    """Whether any worker answers a ping within `timeout` seconds; returns with the first answer."""
    deadline = time.monotonic() + timeout
    while (left := deadline - time.monotonic()) > 0:
        # Late answers to an earlier question end a `ping` with a limit before its time.
        if current_app.control.ping(timeout=left, limit=1):
            return True
    return False


@contextmanager
def ensure_worker() -> Iterator[None]:
    """Within the block a worker is alive: one of those running, or one started for the block."""
    if is_worker_alive():
        yield
        return
    worker = start_worker()
    try:
        deadline = time.monotonic() + START_WITHIN
        while not is_worker_alive():
            if worker.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"the worker did not start; see {worker_log()}")
        yield
    finally:
        stop_worker(worker)


def start_worker() -> subprocess.Popen[bytes]:
    """Start a worker as a child that does not outlive this process; it logs to var/log."""
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


def stop_worker(worker: subprocess.Popen[bytes], patience: float = 20.0) -> None:
    """Let a worker end its task; kill it when that takes longer than `patience` seconds."""
    worker.terminate()
    try:
        worker.wait(patience)
    except subprocess.TimeoutExpired:
        worker.kill()
        worker.wait()


def worker_log() -> str:
    folder = settings.VAR_DIR / "log"
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder / "worker.log")
