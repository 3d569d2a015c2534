"""64 clients, thousands of assignments, abandonment, double posts, lapsed leases, killed processes.

Afterwards every promise of the rating flow is counted from the database.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import psutil
import pytest
from django.conf import settings
from django.db import connection
from django.utils.timezone import now

from annotation.rating.models import Assignment, Rating
from annotation.rating.simulation.answers import AnswerModel
from annotation.studies.models import Stage
from bench.rating_pages import Browser, SimulatedWorker, join_path
from concord.protocols import HitRules, Protocol, RatingRule, answer_problems, preset
from concord.simulation import Crowd
from tests.annotation import factories
from tests.annotation.rating.invariants import assert_complete, assert_invariants
from tests.slow.careless_workers import CarelessClient
from tests.waiting import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]
CLIENTS = 64
WORKERS_A_CLIENT = 3
RATINGS, SIZE = 5, 2
# How many answers of a question are compared, so that each question has one unit.
COMPARED = {"pair": 2, "set": 3}
MAX_SECONDS = 1500
MISHAPS = 0.15


class Site:
    """Gunicorn on the test database. The test owns the socket: requests wait while it is down."""

    def __init__(self, database_url: str, log: Path) -> None:
        self.listening = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.url = f"http://127.0.0.1:{self.listening.getsockname()[1]}"
        self.environment = os.environ | {
            "DATABASE_URL": database_url,
            "BROKER_URL": settings.CELERY_BROKER_URL,
            "SECRET_KEY": settings.SECRET_KEY,
            # All workers of the test come from one address, faster than people.
            "RATE_LIMIT_JOINING": "unlimited",
            "RATE_LIMIT_RATING": "unlimited",
        }
        self.log = log
        self.master: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        os.set_inheritable(self.listening.fileno(), True)
        with self.log.open("ab") as log:
            self.master = subprocess.Popen(
                [sys.executable, "-m", "gunicorn", "config.wsgi", "--bind",
                 f"fd://{self.listening.fileno()}", "--workers", "2", "--threads", "8"],
                cwd=settings.BASE_DIR,
                env=self.environment,
                stdout=log,
                stderr=log,
                pass_fds=[self.listening.fileno()],
            )  # fmt: skip

    def processes(self) -> list[psutil.Process]:
        assert self.master is not None
        return psutil.Process(self.master.pid).children()

    def kill_a_worker(self) -> None:
        self.processes()[0].kill()

    def kill_all(self) -> None:
        """Kill all processes as in a power failure, the master first, so that it restarts none."""
        assert self.master is not None
        children = self.processes()
        self.master.kill()
        self.master.wait()
        for child in children:
            child.kill()
        psutil.wait_procs(children, timeout=10)

    def stop(self) -> None:
        if self.master is not None and self.master.poll() is None:
            self.master.send_signal(signal.SIGTERM)
            self.master.wait(40)
        self.listening.close()


@pytest.fixture
def site(database_url: str, tmp_path: Path) -> Iterator[Site]:
    site = Site(database_url, tmp_path / "site.log")
    site.start()
    yield site
    site.stop()
    connection.close()


@dataclass(frozen=True)
class Load:
    """A study of `hits` HITs of SIZE units, and what raters may answer to the main question."""

    protocol: Protocol
    hits: int
    values: tuple[int, int] = (1, 5)

    def open(self) -> Stage:
        rules = {"rating_rules": (RatingRule(RATINGS),), "hit": HitRules(SIZE, same_passage=False)}
        protocol = replace(self.protocol, consent="", **rules)
        if protocol.compares:
            each = COMPARED[protocol.unit]
            return factories.open_study(protocol, passages=self.hits * SIZE, each=each)
        return factories.open_study(protocol, passages=self.hits, each=SIZE)


LOADS = {
    "scale": Load(factories.PLAIN, 1000),
    "pairs": Load(preset("mt-bench-2023"), 200, (0, 2)),
    "sets": Load(preset("best-worst-2017"), 200, (1, 3)),
    "spans": Load(preset("wmt-esa-2024"), 200, (0, 100)),
}


@pytest.mark.timeout(MAX_SECONDS + 120)
@pytest.mark.parametrize("kind", LOADS)
def test_every_promise_holds_under_load_mishaps_and_kills(site, kind):
    load = LOADS[kind]
    stage = load.open()
    clients = careless_clients(stage, site.url, load.values)
    wanted = load.hits * RATINGS
    done = threading.Event()
    threads = [threading.Thread(target=client.work, args=(done,)) for client in clients]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    try:
        for share, mishap in ((0.2, site.kill_a_worker), (0.45, site.kill_all), (0.7, None)):
            drive_until(stage, share * wanted, clients)
            assert_invariants(stage.study)
            if mishap is not None:
                mishap()
            if mishap == site.kill_all:
                assert_invariants(stage.study)
                site.start()
        drive_until(stage, wanted, clients)
    finally:
        done.set()
        for thread in threads:
            thread.join(60)
    took = time.monotonic() - started
    wait_for(lambda: not any(thread.is_alive() for thread in threads))
    assert [problem for client in clients for problem in client.problems] == []
    # Tasks that were in hand at the end may have come in late.
    assert_complete(stage.study)
    happened = sum((client.happened for client in clients), Counter())
    statuses = Counter(Assignment.objects.values_list("status", flat=True))
    assert statuses["submitted"] == wanted
    ratings = Rating.objects.filter(assignment__status="submitted")
    assert ratings.count() == wanted * SIZE
    protocol = stage.study.current.protocol
    for rating in ratings.select_related("candidate"):
        text = rating.candidate.text
        assert not list(answer_problems(protocol, rating.value, rating.answers, text))
        assert sorted(rating.shown) == [*range(1, 1 + COMPARED.get(protocol.unit, 0))]
    for what in ("walked away", "returned"):
        assert happened[what] > wanted * MISHAPS * 0.05, happened
    print(f"\n{took:.0f} s; {dict(happened)}; {dict(statuses)}")


def careless_clients(stage: Stage, url: str, values: tuple[int, int]) -> list[CarelessClient]:
    answer_model = AnswerModel(stage.study, seed=3)
    raters = Crowd().raters(CLIENTS * WORKERS_A_CLIENT, seed=3)
    return [
        CarelessClient(
            [
                SimulatedWorker(
                    Browser(url, patience=120),
                    join_path(stage.study, 3, at),
                    raters[at],
                    answer_model,
                )
                for at in range(number * WORKERS_A_CLIENT, (number + 1) * WORKERS_A_CLIENT)
            ],
            seed=number,
            mishaps=MISHAPS,
            values=values,
        )
        for number in range(CLIENTS)
    ]


def drive_until(stage: Stage, submitted: float, clients: list[CarelessClient]) -> None:
    """Expire random leases every second until so many assignments are submitted."""
    deadline = time.monotonic() + MAX_SECONDS
    assignments = Assignment.objects.filter(hit__stage=stage)
    while assignments.filter(status="submitted").count() < submitted:
        assert time.monotonic() < deadline, Counter(assignments.values_list("status", flat=True))
        problems = [problem for client in clients for problem in client.problems]
        assert not problems, problems[:5]
        open_assignments = (
            assignments.filter(status="held").order_by("?").values_list("pk", flat=True)
        )
        some = list(open_assignments[: max(4, open_assignments.count() // 8)])
        Assignment.objects.filter(pk__in=some, status="held").update(lease_until=now())
        time.sleep(1)
