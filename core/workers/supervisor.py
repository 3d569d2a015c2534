"""The worker of one machine: its pools as child processes, and the Java helpers they share."""

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

JAVA = "CONCORD_JAVA"  # the environment variable with the address of the helpers' server
_LOOK_SECONDS = 0.2


def supervise(lanes: Sequence[Lane]) -> None:
    """Run the pools of these lanes until this process is stopped; call `preload` before."""
    pools = [pool for lane in lanes for pool in LANES[lane]]
    children = [Child(f"{pool.name} worker", run_pool, (pool,)) for pool in pools]
    with java_helpers() as java:
        try:
            while True:
                for child in (*java, *children):
                    child.ensure()
                time.sleep(_LOOK_SECONDS)
        finally:
            end_all(children)


@contextmanager
def java_helpers() -> Iterator[list[Child]]:
    """The process to run that owns the Java helpers of this process and all it starts; none where
    the process that started this one has it already. It is ended with the block, when nobody needs
    it any more."""
    if JAVA in os.environ:
        yield []
        return
    with tempfile.TemporaryDirectory(prefix="concord-java-") as folder:
        address = Path(folder) / "socket"
        os.environ[JAVA] = str(address)
        serving = (address, settings.MODEL_IDLE_SECONDS)
        java = Child("Java helpers", sharing.serve, serving, own_group=True)
        try:
            yield [java]
        finally:
            del os.environ[JAVA]
            java.end()


def run_pool(pool: Pool) -> None:
    """Be the Celery worker of a pool."""
    device = devices.of_this_machine() if pool.has_models else "cpu"
    node = f"{devices.node_prefix(pool, device)}{os.getpid()}@{socket.gethostname()}"
    if not pool.runs_periodic_jobs:
        scheduler.disable()
    if pool.has_models:
        # torch's threads that wait for each other must not hold cores that metrics could use.
        os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
        idleness.end_when_idle(settings.MODEL_IDLE_SECONDS)
        devices.prefer_gpus(pool, node, device)
    current_app.worker_main(pool.arguments(node))
