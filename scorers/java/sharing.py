"""Java helpers shared by several processes of a machine.

A server owns the helpers and listens on a Unix socket. The other processes send it the requests
that they would send to a helper of their own, in the frames of `scorers.java.framing`.
"""

from __future__ import annotations

import socket
import threading
import time
from pathlib import Path
from typing import Any, get_args

from scorers.java import framing
from scorers.java.client import JavaClient, Service

_CHECK_SECONDS = 1.0


def serve(path: Path, unload_after: float) -> None:
    """Listen on the socket `path` and serve forever.

    A helper that is idle for `unload_after` seconds is ended; the next request starts it again.
    `path` must lie in a folder that only its owner may enter.
    """
    helpers = {service: _SharedHelper(service) for service in get_args(Service)}
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
        self._process = JavaClient(service)
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
