"""The parent's side of a Java helper process."""

from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import threading
import weakref
from pathlib import Path
from typing import IO, Any, Literal, cast

from scorers.errors import JavaError
from scorers.forks import renew_after_fork
from scorers.java import framing

_PACKAGE_ROOT = Path(__file__).resolve().parents[2]
_STDERR_TAIL = 2000
_STOP_SECONDS = 2.0
_PIPE_BYTES = 1 << 20


class _DiedError(Exception):
    """The helper process ended while a request was under way."""


class JavaProcess:
    """A helper process, started at the first request and restarted when it has died.

    One request at a time, from any thread; each is written whole before its answer is read, and
    the helper reads a request whole before it answers, so neither side can wait for the other.
    A request whose helper died under it is sent once more, to a fresh one; if that dies too,
    `request` raises JavaError with the end of what it printed. A forked child starts its own.
    """

    def __init__(self, service: Literal["ptb", "meteor"]) -> None:
        self._service = service
        self._lock = threading.Lock()
        self._running: _Helper | None = None
        renew_after_fork(self)

    @property
    def pid(self) -> int | None:
        """The helper's process id; None while none is running."""
        return self._running.process.pid if self._running else None

    def request(self, message: object) -> Any:
        """Send a message and return the helper's answer."""
        frame = framing.encode(message)
        with self._lock:
            try:
                answer = self._exchange(frame)
            except _DiedError:
                answer = self._exchange_again(frame)
        if "error" in answer:
            raise JavaError(f"the Java helper {self._service!r} failed: {answer['error']}")
        return answer["result"]

    def _exchange_again(self, frame: bytes) -> Any:
        try:
            return self._exchange(frame)
        except _DiedError as died:
            raise JavaError(f"the Java helper {self._service!r} died twice: {died}") from died

    def _exchange(self, frame: bytes) -> Any:
        try:
            running = self._running = self._running or _Helper(self._service)
        except OSError as error:
            raise JavaError(f"cannot start the Java helper {self._service!r}: {error}") from error
        try:
            return running.exchange(frame)
        except (EOFError, OSError) as error:
            self._running = None
            raise _DiedError(running.stop_and_explain()) from error
        except BaseException:
            # Interrupted between request and answer: the pipe holds an answer nobody awaits.
            self._running = None
            running.kill()
            raise

    def close(self) -> None:
        """End the helper, if one is running."""
        with self._lock:
            running, self._running = self._running, None
        if running:
            running.close()

    def after_fork(self) -> None:
        """In a forked child: forget the parent's helper, leaving it to the parent."""
        self._lock = threading.Lock()
        running, self._running = self._running, None
        if running:
            running.forget()


class _Helper:
    """One running helper and its pipes."""

    def __init__(self, service: str) -> None:
        # A file, not a pipe, takes its standard error: nobody has to empty it.
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        path = os.pathsep.join(filter(None, (str(_PACKAGE_ROOT), os.environ.get("PYTHONPATH"))))
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "scorers.java.host", service, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            bufsize=0,  # unbuffered, so that a fork in mid-write copies no half-written buffer
            env={**os.environ, "PYTHONPATH": path},
        )
        self._requests = cast(io.RawIOBase, self.process.stdin)
        self._answers = cast(io.RawIOBase, self.process.stdout)
        _widen(self._requests, self._answers)
        self._finalizer = weakref.finalize(self, _stop, self.process, os.getpid())

    def exchange(self, frame: bytes) -> Any:
        framing.write(self._requests, frame)
        return framing.read(self._answers)

    def close(self) -> None:
        """End the helper as its end of input tells it to, by force if it lingers."""
        self._finalizer()
        self._close_pipes()

    def kill(self) -> None:
        self.process.kill()
        self.close()

    def stop_and_explain(self) -> str:
        """End what is left of a helper that broke off, and say how it ended."""
        self.close()
        self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, self._stderr.tell() - _STDERR_TAIL))
        printed = self._stderr.read().decode("utf-8", "replace").strip()
        return f"exit status {self.process.returncode}; it printed: {printed or 'nothing'}"

    def forget(self) -> None:
        self._finalizer.detach()
        self._close_pipes()
        # Popen would otherwise wait, when collected, for a process that is not this one's child.
        self.process.returncode = 0

    def _close_pipes(self) -> None:
        self._requests.close()
        self._answers.close()


def _widen(*pipes: io.RawIOBase) -> None:
    """Let the pipes hold a whole message, where the system can and allows it.

    Each further piece to read costs a turn at the interpreter's lock, for which a thread that
    computes makes others wait some milliseconds.
    """
    for pipe in pipes:
        with contextlib.suppress(ImportError, AttributeError, OSError):
            import fcntl

            fcntl.fcntl(pipe.fileno(), fcntl.F_SETPIPE_SZ, _PIPE_BYTES)


def _stop(process: subprocess.Popen[bytes], owner: int) -> None:
    if os.getpid() != owner:
        return
    if process.stdin:
        process.stdin.close()
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
