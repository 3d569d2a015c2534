"""The pools of a worker consume from their own queues only."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys

import psutil
import pytest
from celery import current_app
from django.conf import settings

from benchmarks.runs import tasks
from benchmarks.runs.models import MetricRun
from core.jobs.queues import QUEUES
from core.jobs.tasks import route
from core.workers import devices
from core.workers.pools import LANES
from tests.benchmarks.factories import make_set, request
from tests.conftest import Worker
from tests.waiting import wait_for


def active_queues() -> dict[str, set[str]]:
    """The queues that each pool's workers consume now."""
    answers = current_app.control.inspect(timeout=3.0).active_queues() or {}
    queues_of: dict[str, set[str]] = {}
    for node, queues in answers.items():
        queues_of.setdefault(node.split("-")[0], set()).update(one["name"] for one in queues)
    return queues_of


def test_every_queue_has_one_pool():
    taken = [queue for pools in LANES.values() for pool in pools for queue in pool.queues]
    assert sorted(taken) == sorted(QUEUES)


def test_periodic_jobs_run_in_one_pool():
    assert sum(pool.runs_periodic_jobs for pools in LANES.values() for pool in pools) == 1


@pytest.mark.parametrize(
    ("task", "args", "queue"),
    [
        ("benchmarks.tasks.score_next", ("encoder",), "encoder"),
        ("benchmarks.tasks.score_next", ("light",), "light"),
        ("benchmarks.tasks.finish_run", (1,), "finish"),
        ("benchmarks.tasks.score_tryout", (1,), "interactive"),
        ("benchmarks.tasks.import_set", (1,), "jobs"),
        ("benchmarks.tasks.compute_analysis", (1,), "analyses"),
        ("core.webhooks.tasks.send", (1,), "jobs"),
    ],
)
def test_messages_go_to_the_queue_of_their_kind(task, args, queue):
    current_app.loader.import_default_modules()
    assert route(task, args) == {"queue": queue}


def test_an_unknown_lane_is_refused_by_name(manage):
    done = manage("worker", "--queues", "light,gpu")
    assert done.returncode == 1
    assert "unknown value 'gpu'. Choose from light, encoder." in done.stderr


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_worker_of_some_lanes_takes_nothing_of_the_others(worker: Worker):
    worker.start("--queues", "encoder")
    queues: dict[str, set[str]] = {}

    def ask() -> bool:
        queues.update(active_queues())  # a busy machine answers some inquiries late
        return queues.keys() == {"encoder"}

    wait_for(ask)
    assert queues == {"encoder": {"encoder", "interactive"}}


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_killed_pool_is_started_again_and_stopping_leaves_nothing(worker: Worker):
    worker.start()
    wait_for(lambda: len(active_queues()) == 5)
    assert worker.process is not None
    family = psutil.Process(worker.process.pid).children(recursive=True)
    for child in psutil.Process(worker.process.pid).children():
        child.kill()
    wait_for(lambda: len(active_queues()) == 5)
    family += psutil.Process(worker.process.pid).children(recursive=True)
    worker.stop()
    wait_for(lambda: not any(one.is_running() and one.status() != "zombie" for one in family))


GPU_WORKER = """
import os, sys
import django
django.setup()
from celery import current_app
from core.jobs import scheduler
scheduler.disable()
arguments = ["worker", "--hostname", "encoder-gpu-1@elsewhere", "--queues", "nothing"]
current_app.worker_main([*arguments, "--pool", "solo", "--without-gossip", "--without-mingle"])
"""


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_models_wait_for_a_gpu_worker(worker: Worker):
    """GPU workers are recognised by their names, so a worker with such a name is enough."""

    def encoder() -> set[str]:
        return active_queues().get("encoder", set()) - {"nothing"}

    worker.start("--queues", "encoder")
    wait_for(lambda: encoder() == {"encoder", "interactive"})
    gpu = subprocess.Popen(
        [sys.executable, "-c", GPU_WORKER],
        cwd=settings.BASE_DIR,
        env=os.environ | worker.environment,
    )
    try:
        wait_for(lambda: devices.is_gpu_worker_alive(LANES["encoder"][0]))
        wait_for(lambda: encoder() == set())
    finally:
        gpu.kill()
        gpu.wait()
    wait_for(lambda: encoder() == {"encoder", "interactive"})


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_unused_models_are_unloaded(worker: Worker, tmp_path):
    def encoder() -> psutil.Process:
        """The encoder's process. On a busy machine some inquiries are answered too late."""
        found: list[psutil.Process] = []

        def ask() -> bool:
            nodes = (current_app.control.inspect(timeout=3.0).stats() or {}).items()
            pids = [stats["pid"] for node, stats in nodes if node.startswith("encoder-")]
            with contextlib.suppress(psutil.NoSuchProcess):  # it may end just now
                found.extend(map(psutil.Process, pids))
            return bool(found)

        wait_for(ask)
        return found[0]

    worker.environment["MODEL_IDLE_SECONDS"] = "20"
    worker.start("--queues", "light,encoder")
    first = encoder()
    before = first.memory_full_info().uss
    requested = request(make_set(tmp_path), "sentence-similarity")
    tasks.enqueue(requested)
    wait_for(lambda: MetricRun.objects.filter(status="complete").exists())
    assert encoder().memory_full_info().uss > before + 200_000_000
    wait_for(lambda: encoder().pid != first.pid)
    assert encoder().memory_full_info().uss < before + 50_000_000
