"""Sockets that wait for nobody without end."""

from __future__ import annotations

import socket
import time
from typing import Any

STALL_SECONDS = 15.0  # without a byte, in either direction
LEAST_RATE = 8 * 1024  # bytes a second, beyond the first moments
LONGEST_SECONDS = 3600.0  # for one request's body


class PatientSocket(socket.socket):
    """A client's socket. While it blocks, the other side may pause for STALL_SECONDS and must
    keep up LEAST_RATE besides; who does not is given up with TimeoutError."""

    def __init__(self, accepted: socket.socket) -> None:
        super().__init__(accepted.family, accepted.type, accepted.proto, fileno=accepted.detach())
        self._until = self._end = 0.0
        self.begin()

    def begin(self) -> None:
        """A request begins: its body has its whole time before it."""
        started = time.monotonic()
        self._until, self._end = started + STALL_SECONDS, started + LONGEST_SECONDS

    def setblocking(self, flag: bool) -> None:
        self.settimeout(STALL_SECONDS if flag else 0.0)

    def recv(self, size: int, flags: int = 0) -> bytes:
        limit = self.gettimeout()
        if limit == 0.0:
            return super().recv(size, flags)
        left = min(self._until, self._end) - time.monotonic()
        if left <= 0:
            raise TimeoutError("the request came too slowly")
        self.settimeout(min(left, STALL_SECONDS, limit or STALL_SECONDS))
        try:
            data = super().recv(size, flags)
        finally:
            self.settimeout(limit)
        self._until += len(data) / LEAST_RATE
        return data

    def sendall(self, data: Any, flags: int = 0) -> None:
        view = memoryview(data).cast("B")
        until = time.monotonic() + STALL_SECONDS + len(view) / LEAST_RATE
        while len(view):
            if time.monotonic() > until:
                raise TimeoutError("the answer was taken too slowly")
            view = view[self.send(view, flags) :]
