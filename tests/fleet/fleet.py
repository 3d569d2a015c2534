"""Concord on nine machines: broker, two databases, pooler, two web servers and three workers."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.conf import settings

from core.workers.starting import worker_command
from tests.fleet.network import Machine, network
from tests.fleet.servers import Broker, Pooler, Postgres, require
from tests.waiting import wait_for

WEB_PORT = 8000
LEASE_SECONDS = 10


class Web:
    """A web server: gunicorn as in production."""

    def __init__(self, machine: Machine, log: Path, environment: dict[str, str]) -> None:
        self.machine, self.log = machine, log
        self.environment = environment | {"ALLOW_DIRECT_EXPOSURE": "true"}

    def start(self) -> None:
        bind = f"{self.machine.address}:{WEB_PORT}"
        command = [sys.executable, "-m", "gunicorn", "-c", "python:config.web.server"]
        self.machine.run(*command, "--bind", bind, log=self.log, environment=self.environment)

    def is_ready(self) -> bool:
        url = f"http://{self.machine.address}:{WEB_PORT}/readyz"
        try:
            return bool(urllib.request.urlopen(url, timeout=5).status == 200)
        except OSError:
            return False


class WorkerMachine:
    """A machine with `manage.py worker`."""

    def __init__(
        self, machine: Machine, log: Path, environment: dict[str, str], queues: str
    ) -> None:
        self.machine, self.log, self.environment, self.queues = machine, log, environment, queues

    def start(self) -> None:
        command = [*worker_command(), "--queues", self.queues]
        self.machine.run(*command, log=self.log, environment=self.environment)


Part = Web | WorkerMachine | Pooler | Broker | Postgres


class Fleet:
    """All parts by name, and which of the databases is the primary."""

    def __init__(self, machines: dict[str, Machine], servers: Path, logs: Path) -> None:
        self.broker = Broker(machines["broker"], servers)
        self.pooler = Pooler(machines["pooler"], servers)
        self.primary = Postgres(machines["db-1"], servers)
        self.replica = Postgres(machines["db-2"], servers)
        self.environment = {
            "DATABASE_URL": self.pooler.url,
            "BROKER_URL": self.broker.url,
            "SECRET_KEY": settings.SECRET_KEY,
            "IDENTITY_KEYS": ",".join(settings.IDENTITY_KEYS),
            "ALLOWED_HOSTS": ",".join(machine.address for machine in machines.values()),
            "SCORING_LEASE_SECONDS": str(LEASE_SECONDS),
            "SCORING_CHUNK_SIZE": str(settings.SCORING_CHUNK_SIZE),
            "LOG_LEVEL": "INFO",
            # Raters of a test are faster than people, and come from one address.
            "RATE_LIMIT_JOINING": "unlimited",
            "RATE_LIMIT_RATING": "unlimited",
        }
        self.web = [
            Web(machines[name], logs / f"{name}.log", self.environment)
            for name in ("web-1", "web-2")
        ]
        self.workers = [
            WorkerMachine(machines[name], logs / f"{name}.log", self.environment, queues)
            for name, queues in (
                ("worker-1", "light,encoder"),
                ("worker-2", "light,encoder"),
                ("worker-3", "light"),
            )
        ]

    def part(self, role: str) -> Part:
        """The part that has this role now: "primary", "web 2"."""
        name, _, number = role.partition(" ")
        if name == "web":
            return self.web[int(number) - 1]
        if name == "worker":
            return self.workers[int(number) - 1]
        part: Part = getattr(self, role)
        return part

    def start(self) -> None:
        self.broker.start()
        self.primary.initialise()
        self.primary.start()
        self.replica.copy(self.primary)
        self.replica.start()
        wait_for(self.primary.has_replica)
        assert self.primary.ask("SELECT 1", "postgres")
        self.primary.ask("CREATE DATABASE concord", "postgres")
        self.pooler.point_to(self.primary)
        self.pooler.start()
        wait_for(self.broker.is_ready)
        self.manage("migrate", "--verbosity", "0")
        for part in (*self.web, *self.workers):
            part.start()
        for web in self.web:
            wait_for(web.is_ready)

    def fail_over(self) -> None:
        """What an operator does when the primary's machine is lost (docs/how-to/deployment.md)."""
        lost, self.primary = self.primary, self.replica
        self.replica = lost
        lost.machine.cut()  # nobody can say whether it still runs
        self.primary.promote()
        self.pooler.point_to(self.primary)
        self.pooler.reload()
        lost.machine.kill()
        lost.machine.plug_in()
        lost.copy(self.primary)
        lost.start()

    def manage(self, *arguments: str) -> str:
        """Output of a management command, by this machine on the fleet's servers."""
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=settings.BASE_DIR,
            env=os.environ | self.environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


NAMES = ("broker", "pooler", "db-1", "db-2", "web-1", "web-2", "worker-1", "worker-2", "worker-3")


@contextmanager
def running_fleet(logs: Path) -> Iterator[Fleet]:
    """A fleet whose parts all run; skips the test where one cannot be had."""
    require()
    machines = {name: Machine(name, number) for number, name in enumerate(NAMES, start=10)}
    with (
        # Not in pytest's own folder, which other accounts cannot enter.
        tempfile.TemporaryDirectory(prefix="concord-fleet-", ignore_cleanup_errors=True) as folder,
        network(list(machines.values())),
    ):
        os.chmod(folder, 0o755)
        fleet = Fleet(machines, Path(folder), logs)
        fleet.start()
        yield fleet
