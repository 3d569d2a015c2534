"""One POST to another's server: to a judged address only, bounded in bytes and time."""

from __future__ import annotations

import contextlib
import http.client
import json
import random
import socket
import ssl
import threading
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from core.security.outgoing.addresses import AddressRefusedError, Target, resolve

USER_AGENT = "Concord"


@dataclass(frozen=True)
class CallRules:
    """How far a call may go. `attempts` counts the first; the pause before the second is
    `pause_seconds`, then twice that, and so on, each shortened at random by up to a half."""

    allowed_hosts: Collection[str] = ()
    seconds: float = 30.0
    most_bytes: int = 1024 * 1024
    attempts: int = 4
    pause_seconds: float = 1.0
    longest_pause_seconds: float = 30.0


class CallError(Exception):
    """The call brought no answer. `permanent`: trying again would not help; `wait`: how many
    seconds the server asked to be left alone; `status`: what it answered with, if it did."""

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
class Answer:
    """What a server said to a call that succeeded."""

    status: int
    body: bytes


def post_json(
    url: str,
    payload: Any,
    rules: CallRules,
    *,
    before_retry: Callable[[], None] = lambda: None,
    headers: dict[str, str] | None = None,
) -> Any:
    """POST `payload` as JSON and give the answer's JSON.

    The name is resolved anew for each attempt and the connection made to an address that was
    judged; TLS is checked against the name. Redirects are not followed. Tried again, with pauses,
    after a failed connection, a late answer, 429 and 5xx; `before_retry` is called before each
    pause, and an exception from there ends it. Raises CallError whose message names the host and
    never the path or what the server said.
    """
    body = json.dumps(payload, ensure_ascii=False).encode("utf-8", "replace")
    for attempt in range(1, rules.attempts + 1):
        try:
            return _parsed(post(url, body, rules, headers=headers), url)
        except CallError as error:
            if error.permanent:
                raise
            if attempt == rules.attempts:
                tried = f", {attempt} times" if attempt > 1 else ""
                raise CallError(f"{error}{tried}", permanent=True) from error
            before_retry()
            pause = rules.pause_seconds * 2 ** (attempt - 1) * random.uniform(0.5, 1.0)
            time.sleep(min(max(pause, error.wait or 0.0), rules.longest_pause_seconds))
    raise AssertionError("rules.attempts must be at least 1")


def post(
    url: str, body: bytes, rules: CallRules, *, headers: dict[str, str] | None = None
) -> Answer:
    """POST these bytes once; any status from 200 to 299 is an answer.

    The address is judged and pinned and redirects are refused as in `post_json`. `headers` may name
    another content type than JSON. Raises CallError, `permanent` unless a later call may fare
    better.
    """
    try:
        target = resolve(url, rules.allowed_hosts)
    except AddressRefusedError as error:
        raise CallError(str(error), permanent="does not resolve" not in str(error)) from error
    connection = _Pinned(target, rules.seconds)
    try:
        with _deadline(connection, rules.seconds):
            connection.request("POST", target.path, body, _headers(target, headers or {}))
            answer = _answer(connection.getresponse(), target.host, rules)
            if connection.cut_off:  # what came until then may look whole
                raise CallError(_late(target, rules))
            return answer
    except ssl.SSLCertVerificationError as error:
        message = f"{target.host}: its certificate is not valid: {error.verify_message}"
        raise CallError(message, permanent=True) from error
    except TimeoutError as error:
        raise CallError(_late(target, rules)) from error
    except (OSError, http.client.HTTPException) as error:
        if connection.cut_off:
            raise CallError(_late(target, rules)) from error
        name = type(error).__name__
        raise CallError(f"{target.host} cannot be reached ({name})") from error
    finally:
        connection.close()


def _headers(target: Target, given: dict[str, str]) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "User-Agent": USER_AGENT,
        **given,
        "Host": target.host_header,
        "Accept-Encoding": "identity",
        "Connection": "close",
    }


def _answer(response: http.client.HTTPResponse, host: str, rules: CallRules) -> Answer:
    status = response.status
    if 300 <= status < 400:
        message = f"{host} answered with a redirect ({status}); none is followed"
        raise CallError(message, permanent=True, status=status)
    if not 200 <= status < 300:
        again = status == 429 or status >= 500
        wait = _seconds(response.headers.get("Retry-After")) if again else None
        message = f"{host} answered with status {status}"
        raise CallError(message, permanent=not again, wait=wait, status=status)
    if response.headers.get("Content-Encoding", "identity").lower() != "identity":
        raise CallError(f"{host} answered in an encoding it was not asked for", permanent=True)
    data = response.read(rules.most_bytes + 1)
    if len(data) > rules.most_bytes:
        message = f"{host} answered with more than {rules.most_bytes:,} bytes"
        raise CallError(message, permanent=True)
    if response.length:  # the connection ended early
        raise http.client.IncompleteRead(data, response.length)
    return Answer(status, data)


def _parsed(answer: Answer, url: str) -> Any:
    host = urlsplit(url).hostname
    if answer.status != 200:
        raise CallError(f"{host} answered with status {answer.status}", permanent=True)
    try:
        return json.loads(answer.body)
    except (ValueError, RecursionError) as error:
        message = f"{host} answered with something that is not JSON"
        raise CallError(message, permanent=True) from error


def _late(target: Target, rules: CallRules) -> str:
    return f"{target.host} did not answer within {rules.seconds:g} s"


def _seconds(value: str | None) -> float | None:
    """Retry-After where it is in seconds."""
    return float(value) if value and value.isascii() and value.isdigit() else None


class _Pinned(http.client.HTTPConnection):
    """A connection to the judged address itself, whatever the name resolves to by now."""

    def __init__(self, target: Target, seconds: float) -> None:
        super().__init__(target.host, target.port, timeout=seconds)
        self._target = target
        self.cut_off = False
        # The connection's own `sock` is gone as soon as an answer begins that ends it.
        self._wire: socket.socket | None = None

    def connect(self) -> None:
        raw = self._connected()
        if self._target.scheme != "https":
            self.sock = self._wire = raw
            self._stop_if_late()
            return
        context = ssl.create_default_context()
        secured = context.wrap_socket(
            raw, server_hostname=self._target.host, do_handshake_on_connect=False
        )
        self.sock = self._wire = secured  # before the handshake, so that `cut` reaches it
        self._stop_if_late()
        secured.do_handshake()

    def cut(self) -> None:
        """End it from another thread: what waits on the socket fails at once."""
        self.cut_off = True
        if self._wire is not None:
            with contextlib.suppress(OSError):
                # Not TLS's own, which would take the session from under the reading thread.
                socket.socket.shutdown(self._wire, socket.SHUT_RDWR)

    def _stop_if_late(self) -> None:
        if self.cut_off:  # there was nothing to cut yet
            raise TimeoutError

    def _connected(self) -> socket.socket:
        """A connection to the first of the addresses that takes one."""
        failed = OSError("the name has no address")
        for address in self._target.addresses:
            if self.cut_off:
                break
            try:
                return socket.create_connection((address, self._target.port), timeout=self.timeout)
            except OSError as error:
                failed = error
        raise failed


@contextlib.contextmanager
def _deadline(connection: _Pinned, seconds: float) -> Iterator[None]:
    """A socket's own timeout starts anew with every byte; this one does not."""
    timer = threading.Timer(seconds, connection.cut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
