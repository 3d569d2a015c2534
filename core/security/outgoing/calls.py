"""POST requests to other servers: only to checked addresses, with limits of size and time."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from urllib.parse import urlsplit

from concord.retries import read_retry_after, retry_pause
from core.security.outgoing.addresses import AddressRefusedError, ConnectionTarget, resolve

USER_AGENT = "Concord"


@dataclass(frozen=True)
class CallRules:
    """The limits of a call.

    `attempts` includes the first one. pause_seconds, max_pause_seconds: see `retry_pause`.
    """

    allowed_hosts: Collection[str] = ()
    timeout_seconds: float = 30.0
    max_bytes: int = 1024 * 1024
    attempts: int = 4
    pause_seconds: float = 1.0
    max_pause_seconds: float = 30.0


class CallError(Exception):
    """The call failed.

    permanent: whether another attempt is useless. wait: the server's Retry-After in seconds.
    status: the HTTP status of the answer, if there was one.
    """

    def __init__(
        self,
        message: str,
        *,
        permanent: bool = False,
        wait: float | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(message)
        self.permanent = permanent
        self.wait = wait
        self.status = status


@dataclass(frozen=True)
class OutgoingResponse:
    """The response to a successful call."""

    status: int
    body: bytes


def post_json(
    url: str,
    payload: object,
    rules: CallRules,
    *,
    before_retry: Callable[[], None] = lambda: None,
    headers: dict[str, str] | None = None,
) -> object:
    """POST `payload` as JSON and return the JSON of the answer.

    Each attempt resolves the name, connects to a checked address, and verifies TLS for the name.
    Redirects are not followed. The call is repeated with pauses after a failed connection, a
    timeout, 429 and 5xx. `before_retry` is called before each pause; its exceptions end the call.

    Raises CallError. Its message names the host, but neither the path nor the server's text.
    """
    body = json.dumps(payload, ensure_ascii=False).encode("utf-8", "replace")
    for attempt in range(1, rules.attempts + 1):
        try:
            return _parse(post(url, body, rules, headers=headers), url)
        except CallError as error:
            if error.permanent:
                raise
            if attempt == rules.attempts:
                times = f", {attempt} times" if attempt > 1 else ""
                raise CallError(f"{error}{times}", permanent=True) from error
            before_retry()
            pause = retry_pause(
                attempt, error.wait, first=rules.pause_seconds, longest=rules.max_pause_seconds
            )
            time.sleep(pause)
    raise AssertionError("rules.attempts must be at least 1")


def post(
    url: str, body: bytes, rules: CallRules, *, headers: dict[str, str] | None = None
) -> OutgoingResponse:
    """POST bytes once; any status from 200 to 299 is a success.

    Addresses and redirects are handled as in `post_json`. `headers` may set another content type
    than JSON. Raises CallError, which is `permanent` if a later call would fail too.
    """
    deadline = time.monotonic() + rules.timeout_seconds
    try:
        target = resolve(url, rules.allowed_hosts, seconds=rules.timeout_seconds)
    except AddressRefusedError as error:
        raise CallError(str(error), permanent=error.permanent) from error
    seconds_left = max(deadline - time.monotonic(), 0.001)
    connection = _PinnedConnection(target, seconds_left)
    try:
        with _deadline(connection, seconds_left):
            connection.request("POST", target.path, body, _headers(target, headers or {}))
            answer = _answer(connection.getresponse(), target.host, rules)
            if connection.cut_off:  # a truncated answer may look complete
                raise CallError(_timeout_message(target, rules))
            return answer
    except ssl.SSLCertVerificationError as error:
        message = f"{target.host}: its certificate is not valid: {error.verify_message}"
        raise CallError(message, permanent=True) from error
    except TimeoutError as error:
        raise CallError(_timeout_message(target, rules)) from error
    except (OSError, http.client.HTTPException) as error:
        if connection.cut_off:
            raise CallError(_timeout_message(target, rules)) from error
        name = type(error).__name__
        raise CallError(f"{target.host} cannot be reached ({name})") from error
    finally:
        connection.close()


def _headers(target: ConnectionTarget, extra: dict[str, str]) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "User-Agent": USER_AGENT,
        **extra,
        "Host": target.host_header,
        "Accept-Encoding": "identity",
        "Connection": "close",
    }


def _answer(response: http.client.HTTPResponse, host: str, rules: CallRules) -> OutgoingResponse:
    status = response.status
    if 300 <= status < 400:
        message = f"{host} answered with a redirect ({status}), which is not followed"
        raise CallError(message, permanent=True, status=status)
    if not 200 <= status < 300:
        is_temporary = status == 429 or status >= 500
        wait = read_retry_after(response.headers.get("Retry-After")) if is_temporary else None
        message = f"{host} answered with status {status}"
        raise CallError(message, permanent=not is_temporary, wait=wait, status=status)
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise CallError(f"{host} answered in an encoding it was not asked for", permanent=True)
    data = response.read(rules.max_bytes + 1)
    if len(data) > rules.max_bytes:
        message = f"{host} answered with more than {rules.max_bytes:,} bytes"
        raise CallError(message, permanent=True)
    if response.length:  # the connection ended early
        raise http.client.IncompleteRead(data, response.length)
    return OutgoingResponse(status, data)


def _parse(answer: OutgoingResponse, url: str) -> object:
    host = urlsplit(url).hostname
    if answer.status != 200:
        raise CallError(f"{host} answered with status {answer.status}", permanent=True)
    try:
        return json.loads(answer.body)
    except (ValueError, RecursionError) as error:
        message = f"{host} answered with something that is not JSON"
        raise CallError(message, permanent=True) from error


def _timeout_message(target: ConnectionTarget, rules: CallRules) -> str:
    return f"{target.host} did not answer within {rules.timeout_seconds:g} s"


class _PinnedConnection(http.client.HTTPConnection):
    """A connection to a checked address, even if the name now resolves to another one."""

    def __init__(self, target: ConnectionTarget, seconds: float) -> None:
        super().__init__(target.host, target.port, timeout=seconds)
        self._target = target
        self.cut_off = False
        # http.client sets `sock` to None when an answer begins that ends the connection.
        self._wire: socket.socket | None = None

    def connect(self) -> None:
        raw = self._connect_to_first()
        if self._target.scheme != "https":
            self.sock = self._wire = raw
            self._stop_if_late()
            return
        context = ssl.create_default_context()
        secured = context.wrap_socket(
            raw, server_hostname=self._target.host, do_handshake_on_connect=False
        )
        self.sock = self._wire = secured  # before the handshake, so that `cut` can end it
        self._stop_if_late()
        secured.do_handshake()

    def cut(self) -> None:
        """End the connection from another thread: waiting calls on the socket fail at once."""
        self.cut_off = True
        if self._wire is not None:
            with contextlib.suppress(OSError):
                # Not SSLSocket.shutdown, which would end the TLS session of the reading thread.
                socket.socket.shutdown(self._wire, socket.SHUT_RDWR)

    def _stop_if_late(self) -> None:
        if self.cut_off:  # before there was a socket
            raise TimeoutError

    def _connect_to_first(self) -> socket.socket:
        """Connect to the first address that accepts a connection."""
        last_error = OSError("the name has no address")
        for address in self._target.addresses:
            if self.cut_off:
                break
            try:
                return socket.create_connection((address, self._target.port), timeout=self.timeout)
            except OSError as error:
                last_error = error
        raise last_error


@contextlib.contextmanager
def _deadline(connection: _PinnedConnection, seconds: float) -> Iterator[None]:
    """Limit the total time. The timeout of a socket starts again with every byte."""
    timer = threading.Timer(seconds, connection.cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
