"""PostgreSQL, PgBouncer and RabbitMQ of Debian on machines of a fleet, with the files of
deploy/servers/."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings

from tests.fleet.network import SUBNET, Machine
from tests.waiting import wait_for

SHIPPED = settings.BASE_DIR / "deploy" / "servers"
NAME = "concord"
PASSWORD = "fleet-password"
RABBITMQ = Path("/usr/lib/rabbitmq/bin/rabbitmq-server")
PGBOUNCER = Path("/usr/sbin/pgbouncer")


def postgres_binaries() -> Path:
    """The folder of Debian's PostgreSQL, the newest one."""
    folders = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/postgres")]
    return max(folders, key=lambda path: float(path.parent.name))


def require() -> None:
    """Skip the test unless all three servers are installed."""
    missing = [path.name for path in (RABBITMQ, PGBOUNCER) if not path.exists()]
    if not list(Path("/usr/lib/postgresql").glob("*/bin/postgres")):
        missing.append("postgresql")
    if missing:
        pytest.skip(f"not installed (tests/fleet/install_servers.sh): {', '.join(missing)}")


class Server:
    """A server on a machine, run by an account of its own in a folder of its own."""

    user: str

    def __init__(self, machine: Machine, folder: Path) -> None:
        self.machine = machine
        self.folder = folder / machine.name
        self.folder.mkdir()
        self.log = folder / f"{machine.name}.log"
        shutil.chown(self.folder, self.user, self.user)

    def start(self) -> None:
        raise NotImplementedError

    def _run(self, *command: str, **environment: str) -> subprocess.Popen[bytes]:
        return self.machine.run(
            *command,
            log=self.log,
            user=self.user,
            environment={"HOME": str(self.folder)} | environment,
        )

    def _finish(self, *command: str) -> None:
        status = self._run(*command).wait()
        assert status == 0, f"{command[0]} ended with {status}; see {self.log}"


class Postgres(Server):
    """PostgreSQL; a primary after `initialise`, a replica of another after `copy`."""

    user = "postgres"
    port = 5432

    @property
    def url(self) -> str:
        return f"postgresql://{NAME}@{self.machine.address}:{self.port}/{NAME}"

    @property
    def data(self) -> str:
        return str(self.folder / "data")

    def initialise(self) -> None:
        self._finish(self._binary("initdb"), "-D", self.data, "-U", NAME, "-A", "trust")
        folder = Path(self.data)
        network = f"{SUBNET}.0/24"
        with (folder / "pg_hba.conf").open("a") as file:
            for database in ("all", "replication"):
                file.write(f"host {database} all {network} trust\n")
        with (folder / "postgresql.conf").open("a") as file:
            file.write("listen_addresses = '*'\nunix_socket_directories = ''\n")
            file.write((SHIPPED / "postgresql.conf").read_text())

    def copy(self, primary: Postgres) -> None:
        """Begin anew as a replica of `primary`, as an operator does it."""
        shutil.rmtree(self.data, ignore_errors=True)
        source = f"host={primary.machine.address} user={NAME} connect_timeout=5"
        command = [self._binary("pg_basebackup"), "--pgdata", self.data, "--checkpoint", "fast"]
        self._finish(*command, "--write-recovery-conf", "--dbname", source)

    def start(self) -> None:
        (Path(self.data) / "postmaster.pid").unlink(missing_ok=True)  # of one that was killed
        self._run(self._binary("postgres"), "-D", self.data)
        wait_for(self.answers)

    def promote(self) -> None:
        self._finish(self._binary("pg_ctl"), "promote", "-D", self.data)

    def answers(self) -> bool:
        return self.ask("SELECT 1", "postgres") == (1,)

    def has_replica(self) -> bool:
        """Whether a replica confirms commits now; it has all that were confirmed before."""
        query = """SELECT count(*) FROM pg_stat_replication
            WHERE sync_state = 'quorum' AND state = 'streaming'"""
        return self.ask(query, "postgres") == (1,)

    def ask(self, query: str, database: str = NAME) -> tuple[Any, ...] | None:
        """The first row of a query; None while the server does not answer."""
        options = {"connect_timeout": 2, "tcp_user_timeout": 2000}
        try:
            url = self.url.removesuffix(NAME) + database
            with psycopg.connect(url, autocommit=True, **options) as connection:  # type: ignore[arg-type]
                return connection.execute(query).fetchone()  # type: ignore[call-overload]
        except psycopg.Error:
            return None

    def _binary(self, name: str) -> str:
        return str(postgres_binaries() / name)


class Pooler(Server):
    """PgBouncer, pooling by transactions, in front of a primary."""

    user = "postgres"
    port = 6432

    @property
    def url(self) -> str:
        return f"postgresql://{NAME}@{self.machine.address}:{self.port}/{NAME}"

    def point_to(self, primary: Postgres) -> None:
        """Name the primary in the configuration."""
        text = (SHIPPED / "pgbouncer.ini").read_text()
        users = self.folder / "users"
        users.write_text(f'"{NAME}" ""\n')
        for shipped, own in (
            ("host=127.0.0.1 port=5432", f"host={primary.machine.address} port={primary.port}"),
            ("listen_addr = 127.0.0.1", f"listen_addr = {self.machine.address}"),
            ("auth_type = scram-sha-256", "auth_type = trust"),
            ("auth_file = /etc/pgbouncer/userlist.txt", f"auth_file = {users}"),
        ):
            assert text.count(shipped) == 1, shipped
            text = text.replace(shipped, own)
        self._configuration.write_text(text)

    def start(self) -> None:
        self._run(str(PGBOUNCER), str(self._configuration))

    def reload(self) -> None:
        for process in self.machine.processes():
            process.send_signal(1)  # SIGHUP, as `systemctl reload pgbouncer` does

    @property
    def _configuration(self) -> Path:
        return self.folder / "pgbouncer.ini"


class Broker(Server):
    """RabbitMQ. Its queues and messages are on disk and survive the process."""

    user = "rabbitmq"
    port = 5672

    @property
    def url(self) -> str:
        return f"amqp://{NAME}:{PASSWORD}@{self.machine.address}:{self.port}//"

    def start(self) -> None:
        own = f"listeners.tcp.1 = 0.0.0.0:{self.port}\nloopback_users = none\n"
        own += f"default_user = {NAME}\ndefault_pass = {PASSWORD}\nlog.console = true\n"
        (self.folder / "rabbitmq.conf").write_text(own + (SHIPPED / "rabbitmq.conf").read_text())
        self._run(
            str(RABBITMQ),
            RABBITMQ_NODENAME="rabbit@localhost",
            RABBITMQ_CONFIG_FILE=str(self.folder / "rabbitmq"),
            RABBITMQ_MNESIA_BASE=str(self.folder / "mnesia"),
            RABBITMQ_LOG_BASE=str(self.folder / "log"),
            RABBITMQ_ENABLED_PLUGINS_FILE=str(self.folder / "plugins"),
            RABBITMQ_PID_FILE=str(self.folder / "pid"),
        )

    def is_ready(self) -> bool:
        return bool(re.search(r"Server startup complete", self.log.read_text(errors="replace")))
