"""Start and stop the embedded servers.

Each process that uses the servers holds a shared lock on the file `users`, which the kernel
releases when the process ends. The keeper is a process of its own and has the servers as children.
It starts a server again that ended. It waits for the exclusive lock on that file, which it gets
when the last user has gone; then it stops the servers. Any number of commands share the servers,
and nothing remains even if all of them are killed.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config.embedded.paths import PathError, ServerPaths
from config.embedded.servers import (
    EmbeddedServer,
    ServerError,
    check_answers,
    last_lines,
    start_postgres,
    start_redis,
    wait_for_answer,
)

STOP_TIMEOUT_SECONDS = 30.0
CHECK_SECONDS = 0.5
LOGS = ("postgres.log", "redis.log")
READY = "ready"  # the last line of the keeper's output; lines before it are for the user
_joined: dict[Path, int] = {}


class EmbeddedError(RuntimeError):
    """The embedded servers did not start; the message says why and what to do."""


def ensure(paths: ServerPaths) -> None:
    """Join the embedded servers; start them if they do not run. Idempotent within a process.

    Returns when both answer. Raises EmbeddedError if they do not.
    """
    if paths.var in _joined:
        return
    paths.locks.mkdir(parents=True, exist_ok=True)
    with _lock(paths.locks / "start", fcntl.LOCK_EX):
        # Waits while a keeper is stopping.
        users = _open(paths.locks / "users")
        fcntl.flock(users, fcntl.LOCK_SH)
        _joined[paths.var] = users
        if _is_keeper_running(paths):
            try:
                wait_for_answer(lambda: check_answers(paths), lambda: _is_keeper_running(paths))
                return
            except ServerError as error:
                if _is_keeper_running(paths):
                    leave(paths)
                    logs = "\n".join(last_lines(paths.logs / log) for log in LOGS)
                    raise EmbeddedError(f"The embedded servers do not answer.\n{logs}") from error
        _spawn_keeper(paths)


def leave(paths: ServerPaths) -> None:
    """Stop using the servers. If this was the last user, wait until they have stopped."""
    users = _joined.pop(paths.var, None)
    if users is None:
        return
    os.close(users)
    deadline = time.monotonic() + STOP_TIMEOUT_SECONDS
    while time.monotonic() < deadline and _is_keeper_running(paths) and not _has_other_users(paths):
        time.sleep(0.05)


def run_keeper(paths: ServerPaths) -> None:
    """Start the servers, report that they are ready, and keep them running until the last user has
    left."""
    running: list[EmbeddedServer] = []
    with _lock(paths.locks / "keeper", fcntl.LOCK_EX):
        try:
            account = paths.prepare()
            running.append(start_postgres(paths, account))
            running.append(start_redis(paths))
        except (PathError, ServerError, OSError) as error:
            for server in running:
                server.stop()
            print(error, flush=True)
            return
        print(READY, flush=True)
        users = _open(paths.locks / "users")
        are_gone = threading.Event()

        def wait_for_the_last() -> None:
            fcntl.flock(users, fcntl.LOCK_EX)
            are_gone.set()

        threading.Thread(target=wait_for_the_last, daemon=True).start()
        while not are_gone.wait(CHECK_SECONDS):
            for server in running:
                server.ensure()
        for server in reversed(running):
            server.stop()


def _spawn_keeper(paths: ServerPaths) -> None:
    (paths.var / "log").mkdir(parents=True, exist_ok=True)
    with (paths.var / "log" / "keeper.log").open("ab") as log:
        keeper = subprocess.Popen(
            [sys.executable, "-m", "config.embedded", str(paths.var)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=Path(__file__).resolve().parents[2],
            start_new_session=True,  # Ctrl-C in the terminal must not reach it
        )
    assert keeper.stdout is not None
    lines: list[str] = []
    for line in keeper.stdout:
        lines.append(line.decode(errors="replace").rstrip())
        if lines[-1] == READY:
            print("".join(f"{note}\n" for note in lines[:-1]), end="", flush=True)
            return
    leave(paths)
    reason = "\n".join(lines) or f"see {paths.logs / 'keeper.log'}"
    raise EmbeddedError(f"The embedded servers did not start: {reason}")


def _is_keeper_running(paths: ServerPaths) -> bool:
    return _is_held(paths.locks / "keeper")


def _has_other_users(paths: ServerPaths) -> bool:
    """Whether another process still uses the servers.

    The keeper takes the lock exclusively. A shared lock is possible while others share it, or
    until the keeper has taken it; the short wait distinguishes these cases.
    """
    time.sleep(0.2)
    probe = _open(paths.locks / "users")
    try:
        fcntl.flock(probe, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False  # the keeper has the lock and is stopping
    finally:
        os.close(probe)
    return _is_keeper_running(paths)


def _is_held(path: Path) -> bool:
    probe = _open(path)
    try:
        fcntl.flock(probe, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(probe)
    return False


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)


@contextmanager
def _lock(path: Path, kind: int) -> Iterator[None]:
    descriptor = _open(path)
    try:
        fcntl.flock(descriptor, kind)
        yield
    finally:
        os.close(descriptor)
