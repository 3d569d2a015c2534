"""Models run on GPUs wherever a worker with one is alive, and else on CPUs.

A worker's name among all workers says whether it has a GPU. One without stops taking from its
queues while one with a GPU answers, and takes from them again when none does.
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

_LOOK_SECONDS = 3.0
_ANSWER_SECONDS = 1.5
_MISSED_BEFORE_GONE = 2


def of_this_machine() -> Device:
    """The device that models run on here: SCORING_DEVICE, or a GPU where torch can use one.

    torch is asked in another process, because loading it takes hundreds of megabytes.
    """
    if settings.SCORING_DEVICE != "auto":
        return "cuda" if settings.SCORING_DEVICE == "cuda" else "cpu"
    if not any(Path("/dev").glob("nvidia[0-9]*")):
        return "cpu"
    question = "import sys, torch; sys.exit(not torch.cuda.is_available())"
    answer = subprocess.run([sys.executable, "-c", question], capture_output=True)
    return "cpu" if answer.returncode else "cuda"


def node_prefix(pool: Pool, device: Device) -> str:
    """How the names of workers of this kind begin."""
    return f"{pool.name}-gpu-" if device == "cuda" else f"{pool.name}-"


def prefer_gpus(pool: Pool, node: str, device: Device) -> None:
    """Have this process's worker leave its queues to workers with a GPU while there are any."""
    if device == "cuda":
        return

    def watch(**_: object) -> None:
        name = f"GPUs beside {pool.name}"
        threading.Thread(target=_watch, args=(pool, node), name=name, daemon=True).start()

    worker_ready.connect(watch, weak=False)


def gpu_worker_alive(pool: Pool) -> bool:
    """Whether a worker of this pool with a GPU answers, on any machine."""
    answers = current_app.control.ping(timeout=_ANSWER_SECONDS) or []
    prefix = node_prefix(pool, "cuda")
    return any(node.startswith(prefix) for answer in answers for node in answer)


def _watch(pool: Pool, node: str) -> None:
    control = current_app.control
    paused, missed = False, 0
    while True:
        time.sleep(_LOOK_SECONDS)
        try:
            alive = gpu_worker_alive(pool)
        except Exception:  # the broker may be away for a moment
            continue
        missed = 0 if alive else missed + 1
        if alive and not paused:
            for queue in pool.queues:
                control.cancel_consumer(queue, destination=[node])
            paused = True
        elif paused and missed >= _MISSED_BEFORE_GONE:
            for queue in pool.queues:
                control.add_consumer(queue, destination=[node])
            paused = False
