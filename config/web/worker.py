"""A gunicorn worker whose threads serve only requests that are there.

Gunicorn's own gives a thread to every connection, and a client that sends a byte now and then holds
it for as long as it likes: a few dozen such clients and nobody is served. Here the main loop waits,
for any number of connections at once, until a request's head and, up to SMALL_BODY, its body are
there; only then a thread takes it. Larger bodies are read by the thread, from a socket that gives
up slow senders, and the application lets only some of the threads do so (core.security.uploads).
Connections are closed from the main loop as well, which waits a little for what is still on its
way, so that a client that is sending learns why it was refused.
"""

from __future__ import annotations

import contextlib
import errno
import re
import selectors
import socket
import time
from collections.abc import Callable
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

from config.web.sockets import PatientSocket
from core.live.hub import HUB

HEAD_SECONDS = 15.0  # for a head, and for a small body with it
LARGEST_HEAD = 64 * 1024  # beyond it gunicorn's parser says what is wrong
SMALL_BODY = 64 * 1024
MOST_WAITING = 500  # connections of a process that have not sent a request yet
LINGER_SECONDS = 5.0
LINGER_BYTES = 16 * 1024 * 1024
DRAIN_SECONDS = 0.1
PIECE = 64 * 1024
_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*(\d{1,18})[ \t]*\r\n", re.IGNORECASE)
_EXPECT = re.compile(rb"\r\nexpect:", re.IGNORECASE)
TOO_LATE = (
    b"HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Type: text/plain\r\n"
    b"Content-Length: 44\r\n\r\nThe request came too slowly. Send it again.\n"
)


class Connection(TConn):  # type: ignore[misc]
    """A client's connection, with what has come of its next request."""

    def __init__(self, worker: PatientWorker, *given: Any) -> None:
        super().__init__(*given)
        self.worker = worker
        self.received = bytearray()
        self.until = 0.0
        self.is_whole = False

    def close(self, graceful: bool = False) -> None:
        if graceful and self.worker.alive:
            self.worker.linger(self.sock)
        else:
            super().close(graceful=False)


class PatientWorker(ThreadWorker):  # type: ignore[misc]
    """Receives requests in the main loop; see the module."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # In the order in which their time is over, since all have the same time.
        self.receiving: dict[Connection, None] = {}
        self.lingering: dict[socket.socket, tuple[float, int]] = {}

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Begin to stop; open streams of events end within a second."""
        HUB.is_closing = True
        super().handle_exit(sig, frame)

    def accept(self, listener: socket.socket) -> None:
        """Take a connection and wait for its request."""
        try:
            accepted, client = listener.accept()
        except OSError as error:
            if error.errno not in (errno.EAGAIN, errno.ECONNABORTED, errno.EWOULDBLOCK):
                raise
            return
        self.nr_conns += 1
        client_socket = PatientSocket(accepted)
        self.enqueue_req(Connection(self, self.cfg, client_socket, client, listener.getsockname()))

    def enqueue_req(self, conn: Connection) -> None:
        """Give a request to a thread once it is there; until then, receive it."""
        if conn.is_whole:
            conn.is_whole = False
            conn.sock.begin()
            super().enqueue_req(conn)
            return
        if conn.parser is not None:  # what was read ahead of the next request
            conn.received += conn.parser.unreader.take_buffered()
        conn.sock.setblocking(False)
        conn.until = time.monotonic() + HEAD_SECONDS
        if is_there(conn.received):
            self._hand_over(conn)
            return
        if len(self.receiving) >= MOST_WAITING:
            self._drop(next(iter(self.receiving)))
        self.receiving[conn] = None
        self.poller.register(conn.sock, selectors.EVENT_READ, self._reader(conn))

    def murder_pending(self) -> None:
        """Give up, once a second, those whose time is over."""
        super().murder_pending()
        now = time.monotonic()
        while self.receiving and (first := next(iter(self.receiving))).until < now:
            if first.received:
                with contextlib.suppress(OSError):
                    first.sock.send(TOO_LATE)
            self._drop(first)
        while self.lingering and self.lingering[one := next(iter(self.lingering))][0] < now:
            self._let_go(one)

    def linger(self, client: socket.socket) -> None:
        """Close a connection, after what its client is still sending has come, within bounds."""
        try:
            client.shutdown(socket.SHUT_WR)
            client.setblocking(False)
            self.poller.register(client, selectors.EVENT_READ, self._discard)
        except (OSError, ValueError, KeyError):
            client.close()
            return
        self.lingering[client] = (time.monotonic() + LINGER_SECONDS, LINGER_BYTES)

    def _keepalive_after(self, conn: Connection, keepalive: bool) -> bool:
        """Whether the connection can serve another request: not where a body is left that has not
        come yet, for which no thread waits."""
        if not keepalive:
            return False
        return bool(conn.parser.finish_body(deadline=time.monotonic() + DRAIN_SECONDS))

    def _reader(self, conn: Connection) -> Callable[[Any], None]:
        return lambda _: self._receive(conn)

    def _receive(self, conn: Connection) -> None:
        try:
            piece = conn.sock.recv(PIECE)
        except BlockingIOError:
            return
        except OSError:
            piece = b""
        if not piece:
            self._drop(conn)
            return
        conn.received += piece
        if is_there(conn.received):
            self.receiving.pop(conn)
            self.poller.unregister(conn.sock)
            self._hand_over(conn)

    def _hand_over(self, conn: Connection) -> None:
        conn.init()  # makes the parser of a new connection
        conn.parser.unreader.unread(bytes(conn.received))
        conn.received.clear()
        conn.is_whole = True
        self.enqueue_req(conn)

    def _drop(self, conn: Connection) -> None:
        self.receiving.pop(conn, None)
        self._forget(conn.sock)
        self.nr_conns -= 1
        conn.close()

    def _discard(self, client: Any) -> None:
        until, left = self.lingering[client]
        try:
            piece = client.recv(PIECE)
        except BlockingIOError:
            return
        except OSError:
            piece = b""
        self.lingering[client] = (until, left - len(piece))
        if not piece or left <= len(piece):
            self._let_go(client)

    def _let_go(self, client: socket.socket) -> None:
        self.lingering.pop(client, None)
        self._forget(client)
        client.close()

    def _forget(self, client: socket.socket) -> None:
        with contextlib.suppress(OSError, KeyError, ValueError):
            self.poller.unregister(client)


def is_there(received: bytes | bytearray) -> bool:
    """Whether a thread can take the request: its head and a small body have come, or a head with
    a body that is large, of unknown length, or waits to be asked for."""
    end = received.find(b"\r\n\r\n")
    if end < 0:
        return len(received) > LARGEST_HEAD
    head = bytes(received[: end + 2])
    length = _LENGTH.search(head)
    if length is None or _EXPECT.search(head):
        return True
    wanted = int(length[1])
    return wanted > SMALL_BODY or len(received) >= end + 4 + wanted
