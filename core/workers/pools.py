"""The processes of a worker and their queues.

A *lane* is a kind of work that `manage.py worker --queues` names. It consists of pools. Each pool
is a Celery worker of its own, so that one kind of work does not wait for another.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal

from core.jobs.queues import ANALYSES, ENCODER, EXTERNAL, FINISH, INTERACTIVE, JOBS, LIGHT

Lane = Literal["light", "encoder"]


@dataclass(frozen=True, slots=True)
class Pool:
    """One Celery worker.

    processes: their number, 0 for one per core; None: one process with `threads` threads.
    has_models: the pool prefers machines with a GPU and restarts when its models are unused.
    runs_periodic_jobs: whether this pool runs the periodic jobs.
    """

    name: str
    queues: tuple[str, ...]
    processes: int | None = None
    threads: int = 1
    has_models: bool = False
    runs_periodic_jobs: bool = False

    def arguments(self, node: str) -> list[str]:
        """The arguments of `celery worker`; `node` is the worker's node name."""
        fixed = ["worker", "--hostname", node, "--queues", ",".join(self.queues)]
        fixed += ["--loglevel", "INFO", "--without-gossip", "--without-mingle"]
        if self.processes is None:
            return [*fixed, "--pool", "threads", "--concurrency", str(self.threads)]
        return [*fixed, "--pool", "prefork", "--concurrency", str(self.processes or cores())]


LANES: dict[Lane, tuple[Pool, ...]] = {
    "light": (
        Pool("light", (LIGHT, FINISH), processes=0),
        Pool("jobs", (JOBS,), processes=2, runs_periodic_jobs=True),
        Pool("analyses", (ANALYSES,), processes=1),
        Pool("external", (EXTERNAL,), threads=4),
    ),
    "encoder": (Pool("encoder", (ENCODER, INTERACTIVE), has_models=True),),
}


def cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
