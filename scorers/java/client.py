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


class _HelperEndedError(Exception):
    """The helper process ended during a request."""


class JavaProcess:
    """A helper process, started at the first request and restarted after it ended.

    Any thread may send a request; requests are processed one at a time. The client writes a
    complete request before it reads the answer, and the helper reads a complete request before it
    answers, so there is no deadlock. If the helper ends during a request, the request is sent once
    more to a new helper; if that ends too, `request` raises JavaError with the end of its error
    output. A forked child starts its own helper.
    """

    def __init__(self, service: Literal["ptb", "meteor"]) -> None:
        self._service = service
        self._lock = threading.Lock()
        self._helper: _Helper | None = None
        renew_after_fork(self)

    @property
    def pid(self) -> int | None:
        """The helper's process id; None if no helper runs."""
        return self._helper.process.pid if self._helper else None

    def request(self, message: object) -> Any:
        """Send a message and return the helper's answer."""
        frame = framing.encode(message)
        with self._lock:
            try:
                answer = self._exchange(frame)
            except _HelperEndedError:
                answer = self._exchange_again(frame)
        if "error" in answer:
            raise JavaError(f"the Java helper {self._service!r} failed: {answer['error']}")
        return answer["result"]

    def _exchange_again(self, frame: bytes) -> Any:
        try:
            return self._exchange(frame)
        except _HelperEndedError as error:
            raise JavaError(
                f"the Java helper {self._service!r} ended twice during a request: {error}"
            ) from error

    def _exchange(self, frame: bytes) -> Any:
        try:
            helper = self._helper = self._helper or _Helper(self._service)
        except OSError as error:
            raise JavaError(f"cannot start the Java helper {self._service!r}: {error}") from error
        try:
            return helper.exchange(frame)
        except (EOFError, OSError) as error:
            self._helper = None
            raise _HelperEndedError(helper.stop_and_explain()) from error
        except BaseException:
            # Interrupted before the answer was read, so the pipe is in an undefined state.
            self._helper = None
            helper.kill()
            raise

    def close(self) -> None:
        """End the helper, if one is running."""
        with self._lock:
            helper, self._helper = self._helper, None
        if helper:
            helper.close()

    def after_fork(self) -> None:
        """In a forked child, drop the parent's helper without ending it."""
        self._lock = threading.Lock()
        helper, self._helper = self._helper, None
        if helper:
            helper.forget()


class _Helper:
    """One running helper and its pipes."""

    def __init__(self, service: str) -> None:
        # Standard error goes to a file, because a pipe would have to be read.
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        path = os.pathsep.join(filter(None, (str(_PACKAGE_ROOT), os.environ.get("PYTHONPATH"))))
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "scorers.java.host", service, str(os.getpid())],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            bufsize=0,  # unbuffered, so that a fork never copies a partly written buffer
            env={**os.environ, "PYTHONPATH": path},
        )
        self._requests = cast(io.RawIOBase, self.process.stdin)
        self._answers = cast(io.RawIOBase, self.process.stdout)
        _enlarge_buffers(self._requests, self._answers)
        self._finalizer = weakref.finalize(self, _stop, self.process, os.getpid())

    def exchange(self, frame: bytes) -> Any:
        framing.write(self._requests, frame)
        return framing.read(self._answers)

    def close(self) -> None:
        """End the helper by closing its input, and kill it if that takes too long."""
        self._finalizer()
        self._close_pipes()

    def kill(self) -> None:
        self.process.kill()
        self.close()

    def stop_and_explain(self) -> str:
        """End a failed helper and describe how it ended."""
        self.close()
        self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, self._stderr.tell() - _STDERR_TAIL))
        printed = self._stderr.read().decode("utf-8", "replace").strip()
        return f"exit status {self.process.returncode}; it printed: {printed or 'nothing'}"

    def forget(self) -> None:
        self._finalizer.detach()
        self._close_pipes()
        # Otherwise Popen's destructor would wait for a process that is not a child of this one.
        self.process.returncode = 0

    def _close_pipes(self) -> None:
        self._requests.close()
        self._answers.close()


def _enlarge_buffers(*pipes: io.RawIOBase) -> None:
    """Enlarge the pipes' buffers to hold a whole message, if the system allows it.

    Each further read must acquire the interpreter's lock, which may take some milliseconds while
    another thread computes.
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
