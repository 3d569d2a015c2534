"""Prefer workers with a GPU for models.

The node name of a worker says whether it has a GPU. A worker without one stops consuming from its
queues while a worker with one answers, and resumes when none does.
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Literal

from celery import current_app
from celery.signals import worker_ready
from django.conf import settings

from core.workers.pools import Pool

Device = Literal["cpu", "cuda"]

_CHECK_SECONDS = 3.0
_PING_TIMEOUT_SECONDS = 1.5
_MAX_MISSED_PINGS = 2


def local_device() -> Device:
    """The device for models on this machine: SCORING_DEVICE, or a GPU if torch can use one.

    Another process asks torch, because loading it takes hundreds of megabytes.
    """
    if settings.SCORING_DEVICE != "auto":
        return "cuda" if settings.SCORING_DEVICE == "cuda" else "cpu"
    if not any(Path("/dev").glob("nvidia[0-9]*")):
        return "cpu"
    script = "import sys, torch; sys.exit(not torch.cuda.is_available())"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True)
    return "cpu" if result.returncode else "cuda"


def node_prefix(pool: Pool, device: Device) -> str:
    """The beginning of the node names of a pool's workers."""
    return f"{pool.name}-gpu-" if device == "cuda" else f"{pool.name}-"


def yield_to_gpu_workers(pool: Pool, node: str, device: Device) -> None:
    """Leave the queues of this process's worker to workers with a GPU while there are any."""
    if device == "cuda":
        return

    def watch(**_: object) -> None:
        name = f"GPUs beside {pool.name}"
        threading.Thread(target=_watch, args=(pool, node), name=name, daemon=True).start()

    worker_ready.connect(watch, weak=False)


def is_gpu_worker_alive(pool: Pool) -> bool:
    """Whether a worker of this pool with a GPU answers, on any machine."""
    answers = current_app.control.ping(timeout=_PING_TIMEOUT_SECONDS) or []
    prefix = node_prefix(pool, "cuda")
    return any(node.startswith(prefix) for answer in answers for node in answer)


def _watch(pool: Pool, node: str) -> None:
    control = current_app.control
    is_paused, missed = False, 0
    while True:
        time.sleep(_CHECK_SECONDS)
        try:
            is_alive = is_gpu_worker_alive(pool)
        except Exception:  # such as a short outage of the broker
            continue
        missed = 0 if is_alive else missed + 1
        if is_alive and not is_paused:
            for queue in pool.queues:
                control.cancel_consumer(queue, destination=[node])
            is_paused = True
        elif is_paused and missed >= _MAX_MISSED_PINGS:
            for queue in pool.queues:
                control.add_consumer(queue, destination=[node])
            is_paused = False
