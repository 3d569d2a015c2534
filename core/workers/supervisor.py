"""The worker of a machine: its pools as child processes, and their shared Java helpers."""

from __future__ import annotations

import os
import socket
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from celery import current_app
from django.conf import settings

from core.jobs import scheduler
from core.workers import devices, idleness
from core.workers.pools import LANES, Lane, Pool
from core.workers.supervision import Child, end_all
from scorers.java import sharing

JAVA = "CONCORD_JAVA"  # the environment variable with the socket of the Java helpers
_CHECK_SECONDS = 0.2


def supervise(lanes: Sequence[Lane]) -> None:
    """Run the pools of these lanes until the process is stopped. Call `preload` first."""
    pools = [pool for lane in lanes for pool in LANES[lane]]
    children = [Child(f"{pool.name} worker", run_pool, (pool,)) for pool in pools]
    with java_helpers() as java:
        try:
            while True:
                for child in (*java, *children):
                    child.ensure()
                time.sleep(_CHECK_SECONDS)
        finally:
            end_all(children)


@contextmanager
def java_helpers() -> Iterator[list[Child]]:
    """The child process that runs the Java helpers for this process and its children.

    The list is empty if a parent process already has it. The helpers end with the block.
    """
    if JAVA in os.environ:
        yield []
        return
    with tempfile.TemporaryDirectory(prefix="concord-java-") as folder:
        address = Path(folder) / "socket"
        os.environ[JAVA] = str(address)
        arguments = (address, settings.MODEL_IDLE_SECONDS)
        java = Child("Java helpers", sharing.serve, arguments, own_group=True)
        try:
            yield [java]
        finally:
            del os.environ[JAVA]
            java.end()


def run_pool(pool: Pool) -> None:
    """Run the Celery worker of a pool in this process."""
    device = devices.local_device() if pool.has_models else "cpu"
    node = f"{devices.node_prefix(pool, device)}{os.getpid()}@{socket.gethostname()}"
    if not pool.runs_periodic_jobs:
        scheduler.disable()
    if pool.has_models:
        # Waiting threads of torch must not occupy cores that metrics could use.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        idleness.end_when_idle(settings.MODEL_IDLE_SECONDS)
        devices.yield_to_gpu_workers(pool, node, device)
    current_app.worker_main(pool.arguments(node))
