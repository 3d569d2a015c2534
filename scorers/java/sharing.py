"""Java helpers shared by several processes of a machine.

A server owns the helpers and listens on a Unix socket. The other processes send it the requests
that they would send to a helper of their own, in the frames of `scorers.java.framing`.
"""

from __future__ import annotations

import io
import socket
import threading
import time
from pathlib import Path
from typing import Any, Literal

from scorers.errors import JavaError
from scorers.forks import renew_after_fork
from scorers.java import framing
from scorers.java.client import JavaProcess

Service = Literal["ptb", "meteor"]
_SERVICES: tuple[Service, ...] = ("ptb", "meteor")
_CONNECT_SECONDS = 10.0
_CONNECT_PAUSE_SECONDS = 0.05
_CHECK_SECONDS = 1.0


class SharedJava:
    """A helper of a server, with the interface of `JavaProcess`.

    Raises JavaError when the helper fails, or when no server answers within ten seconds. If the
    connection breaks during a request, the request is sent once more.
    """

    def __init__(self, service: Service, address: str) -> None:
        self._service = service
        self._address = address
        self._lock = threading.Lock()
        self._connection: io.RawIOBase | None = None
        renew_after_fork(self)

    def after_fork(self) -> None:
        """In a forked child, connect again."""
        self._lock = threading.Lock()
        self._connection = None

    def close(self) -> None:
        """Close the connection; the helper keeps running for other processes."""
        with self._lock:
            self._disconnect()

    def request(self, message: object) -> Any:
        """Send a message and return the helper's answer."""
        frame = framing.encode({"service": self._service, "message": message})
        with self._lock:
            try:
                answer = self._exchange(frame)
            except (EOFError, OSError):
                answer = self._exchange_again(frame)
        if "error" in answer:
            raise JavaError(answer["error"])
        return answer["result"]

    def _exchange_again(self, frame: bytes) -> Any:
        try:
            return self._exchange(frame)
        except (EOFError, OSError) as error:
            raise JavaError(f"the server of Java helpers does not answer: {error}") from error

    def _exchange(self, frame: bytes) -> Any:
        try:
            if self._connection is None:
                self._connection = _connect(self._address)
            framing.write(self._connection, frame)
            return framing.read(self._connection)
        except BaseException:  # a late answer must not be read as that of the next request
            self._disconnect()
            raise

    def _disconnect(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None


def serve(path: Path, unload_after: float) -> None:
    """Listen on the socket `path` and serve forever.

    A helper that is idle for `unload_after` seconds is ended; the next request starts it again.
    `path` must lie in a folder that only its owner may enter.
    """
    helpers = {service: _SharedHelper(service) for service in _SERVICES}
    with socket.socket(socket.AF_UNIX) as listening:
        path.unlink(missing_ok=True)
        listening.bind(str(path))
        listening.listen(64)
        threading.Thread(
            target=_unload_when_idle, args=(helpers, unload_after), daemon=True
        ).start()
        while True:
            connection, _ = listening.accept()
            threading.Thread(target=_answer, args=(connection, helpers), daemon=True).start()


class _SharedHelper:
    """A helper process and the time of its last request."""

    def __init__(self, service: Service) -> None:
        self._process = JavaProcess(service)
        self._lock = threading.Lock()
        self._used_at = 0.0

    def request(self, message: object) -> Any:
        with self._lock:
            try:
                return self._process.request(message)
            finally:
                self._used_at = time.monotonic()

    def unload_if_idle(self, seconds: float) -> None:
        with self._lock:
            if self._process.pid and time.monotonic() - self._used_at > seconds:
                self._process.close()


def _answer(connection: socket.socket, helpers: dict[Service, _SharedHelper]) -> None:
    """Answer one process's requests until it closes its connection."""
    with connection, connection.makefile("rwb", buffering=0) as pipe:
        while True:
            try:
                request = framing.read(pipe)
            except (EOFError, OSError):
                return
            try:
                answer = {"result": helpers[request["service"]].request(request["message"])}
            except Exception as error:
                answer = {"error": str(error)}
            try:
                framing.write(pipe, framing.encode(answer))
            except OSError:
                return


def _unload_when_idle(helpers: dict[Service, _SharedHelper], seconds: float) -> None:
    while True:
        time.sleep(min(_CHECK_SECONDS, seconds))
        for helper in helpers.values():
            helper.unload_if_idle(seconds)


def _connect(address: str) -> io.RawIOBase:
    """Connect to the server, and wait for it if it is still starting."""
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
