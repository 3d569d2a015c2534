"""Who starts the embedded servers, and who stops them.

Every process that uses the servers holds a shared lock on the file `users` for as long as it
lives; the kernel drops it however the process ends. The keeper, a process of its own, has the
servers as children and waits for the exclusive lock on that file: it gets it in the moment when
the last user is gone, stops the servers and ends. So Ctrl-C, a plain kill and even SIGKILL of
every user leave nothing behind, and any number of commands share one set of servers.
"""

from __future__ import annotations

import fcntl
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from config.embedded.paths import PathError, ServerPaths
from config.embedded.servers import Server, ServerError, start_postgres, start_redis

GONE_WITHIN = 30.0  # seconds
READY = "ready"  # the keeper's word on its stdout; what it says before is for the user
_joined: dict[Path, int] = {}


class EmbeddedError(RuntimeError):
    """The embedded servers could not be had; the message says why and what to do."""


def ensure(paths: ServerPaths) -> None:
    """Join the embedded servers, starting them when none run. Idempotent within a process.

    Returns when both accept connections. Raises EmbeddedError otherwise.
    """
    if paths.var in _joined:
        return
    paths.locks.mkdir(parents=True, exist_ok=True)
    with _held(paths.locks / "start", fcntl.LOCK_EX):
        # Blocks while a keeper that has already decided to stop is stopping.
        users = _open(paths.locks / "users")
        fcntl.flock(users, fcntl.LOCK_SH)
        _joined[paths.var] = users
        if not _keeper_runs(paths):
            _spawn_keeper(paths)


def leave(paths: ServerPaths) -> None:
    """Stop using the servers; when nobody else does, wait until they have stopped."""
    users = _joined.pop(paths.var, None)
    if users is None:
        return
    os.close(users)
    deadline = time.monotonic() + GONE_WITHIN
    while time.monotonic() < deadline and _keeper_runs(paths) and not _others(paths):
        time.sleep(0.05)


def keep(paths: ServerPaths) -> None:
    """The keeper's life: start the servers, report, wait for the last user to go, stop them."""
    running: list[Server] = []
    with _held(paths.locks / "keeper", fcntl.LOCK_EX):
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
        with _held(paths.locks / "users", fcntl.LOCK_EX):
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
            start_new_session=True,  # out of reach of the terminal's Ctrl-C
        )
    assert keeper.stdout is not None
    said: list[str] = []
    for line in keeper.stdout:
        said.append(line.decode(errors="replace").rstrip())
        if said[-1] == READY:
            print("".join(f"{note}\n" for note in said[:-1]), end="", flush=True)
            return
    leave(paths)
    reason = "\n".join(said) or f"see {paths.logs / 'keeper.log'}"
    raise EmbeddedError(f"The embedded servers did not start: {reason}")


def _keeper_runs(paths: ServerPaths) -> bool:
    return _is_held(paths.locks / "keeper")


def _others(paths: ServerPaths) -> bool:
    """Whether another process still uses the servers.

    The keeper takes the lock exclusively, so a shared lock can be had exactly while others
    share it or the keeper has not woken yet; the short wait tells the two apart.
    """
    time.sleep(0.2)
    probe = _open(paths.locks / "users")
    try:
        fcntl.flock(probe, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return False  # the keeper has it: it is stopping
    finally:
        os.close(probe)
    return _keeper_runs(paths)


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
def _held(path: Path, kind: int) -> Iterator[None]:
    descriptor = _open(path)
    try:
        fcntl.flock(descriptor, kind)
        yield
    finally:
        os.close(descriptor)
