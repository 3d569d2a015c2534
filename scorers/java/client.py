"""The client of a Java service: a helper process of its own, or one of a server of helpers."""

from __future__ import annotations

import contextlib
import io
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from abc import ABC, abstractmethod
from pathlib import Path
from typing import IO, Any, Literal, cast

from scorers.caches import renew_after_fork
from scorers.errors import JavaError
from scorers.java import framing

Service = Literal["ptb", "meteor"]

_PACKAGE_ROOT = Path(__file__).resolve().parents[2]
_STDERR_TAIL = 2000
_STOP_SECONDS = 2.0
_PIPE_BYTES = 1 << 20
_CONNECT_SECONDS = 10.0
_CONNECT_PAUSE_SECONDS = 0.05


class JavaClient:
    """Sends messages to a Java service over a channel, which is opened at the first request.

    `address` is the socket of a server of helpers (`scorers.java.sharing`); without it the client
    starts a helper process of its own. Any thread may send a request; requests are processed one at
    a time. The client writes a complete request before it reads the answer, and the helper reads a
    complete request before it answers, so there is no deadlock. If the channel breaks during a
    request, the request is sent once more over a new one; if that breaks too, `request` raises
    JavaError with the end of the helper's error output. A forked child opens its own channel.
    """

    def __init__(self, service: Service, address: str | None = None) -> None:
        self._service = service
        self._address = address
        self._lock = threading.Lock()
        self._channel: _Channel | None = None
        renew_after_fork(self)

    @property
    def pid(self) -> int | None:
        """The process id of the client's own helper; None if none runs."""
        return self._channel.process.pid if isinstance(self._channel, _Helper) else None

    def request(self, message: object) -> Any:
        """Send a message and return the helper's answer."""
        shared = {"service": self._service, "message": message}
        frame = framing.encode(shared if self._address else message)
        with self._lock:
            try:
                answer = self._exchange(frame)
            except _BrokenError:
                try:
                    answer = self._exchange(frame)
                except _BrokenError as error:
                    raise JavaError(
                        f"the Java helper {self._service!r} ended twice during a request: {error}"
                    ) from error
        if "error" in answer:
            raise JavaError(f"the Java helper {self._service!r} failed: {answer['error']}")
        return answer["result"]

    def _exchange(self, frame: bytes) -> Any:
        try:
            if self._channel is None:
                address = self._address
                self._channel = _Connection(address) if address else _Helper(self._service)
        except OSError as error:
            failure = (
                "the server of Java helpers does not answer"
                if self._address
                else f"cannot start the Java helper {self._service!r}"
            )
            raise JavaError(f"{failure}: {error}") from error
        channel = self._channel
        try:
            framing.write(channel.requests, frame)
            return framing.read(channel.answers)
        except (EOFError, OSError) as error:
            self._channel = None
            raise _BrokenError(channel.explain()) from error
        except BaseException:
            # Interrupted before the answer was read: a late one must not be read as the next one's.
            self._channel = None
            channel.kill()
            raise

    def close(self) -> None:
        """End the client's own helper, or the connection to a shared one."""
        with self._lock:
            channel, self._channel = self._channel, None
        if channel:
            channel.close()

    def after_fork(self) -> None:
        """In a forked child, drop the parent's channel without ending its helper."""
        self._lock = threading.Lock()
        channel, self._channel = self._channel, None
        if channel:
            channel.forget()


class _BrokenError(Exception):
    """The channel broke during a request."""


class _Channel(ABC):
    """What carries the frames to a helper and back."""

    requests: io.RawIOBase
    answers: io.RawIOBase

    @abstractmethod
    def explain(self) -> str:
        """Close a broken channel and say how it ended."""

    def close(self) -> None:
        self.requests.close()
        self.answers.close()

    kill = forget = close


class _Connection(_Channel):
    """A connection to a server of helpers, which keeps its helper for other processes."""

    def __init__(self, address: str) -> None:
        self.requests = self.answers = _connect(address)

    def explain(self) -> str:
        self.close()
        return "the server of Java helpers does not answer"


class _Helper(_Channel):
    """One running helper process and its pipes."""

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
        self.requests = cast(io.RawIOBase, self.process.stdin)
        self.answers = cast(io.RawIOBase, self.process.stdout)
        _enlarge_buffers(self.requests, self.answers)
        self._finalizer = weakref.finalize(self, _stop, self.process, os.getpid())

    def close(self) -> None:
        """End the helper by closing its input, and kill it if that takes too long."""
        self._finalizer()
        super().close()

    def kill(self) -> None:
        self.process.kill()
        self.close()

    def explain(self) -> str:
        self.close()
        self._stderr.seek(0, os.SEEK_END)
        self._stderr.seek(max(0, self._stderr.tell() - _STDERR_TAIL))
        printed = self._stderr.read().decode("utf-8", "replace").strip()
        return f"exit status {self.process.returncode}; it printed: {printed or 'nothing'}"

    def forget(self) -> None:
        self._finalizer.detach()
        super().close()
        # Otherwise Popen's destructor would wait for a process that is not a child of this one.
        self.process.returncode = 0


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


def _connect(address: str) -> io.RawIOBase:
    """Connect to the server, and wait for it if it is still starting. Raises OSError."""
    deadline = time.monotonic() + _CONNECT_SECONDS
    while True:
        connection = socket.socket(socket.AF_UNIX)
        try:
            connection.connect(address)
            with connection:  # the returned file keeps the socket open
                return connection.makefile("rwb", buffering=0)
        except (FileNotFoundError, ConnectionRefusedError):
            connection.close()
            if time.monotonic() > deadline:
                raise
            time.sleep(_CONNECT_PAUSE_SECONDS)
