"""Asking, and asking again when that is safe: the one place that speaks HTTP."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx

from concord.client.errors import Fault, NotReachedError, ProblemError

TRIES = 5
# What passes by itself: too many requests, and a server that is away for a moment.
PASSING = (429, 502, 503, 504)
FIRST_PAUSE, LONGEST_PAUSE = 0.25, 20.0
CHUNK = 1 << 20

Files = Sequence[tuple[str, Path]]


class Transport:
    """Requests below /api/v1/. A request that creates bears an Idempotency-Key, the same at every
    try, so that whatever happens on the way it works once."""

    def __init__(
        self,
        url: str,
        token: str,
        *,
        timeout: float,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._http = httpx.Client(
            base_url=f"{url.rstrip('/')}/api/v1",
            headers={**headers, "User-Agent": "concord-client/1"},
            timeout=timeout,
            transport=transport,
        )
        self._sleep = sleep

    def close(self) -> None:
        self._http.close()

    def get(
        self, path: str, query: Mapping[str, Any] | None = None, *, etag: str | None = None
    ) -> httpx.Response:
        """A document; with the `etag` that one has, 304 where it has not changed."""
        headers = {"If-None-Match": etag} if etag else {}
        return self._ask("GET", path, query=query, headers=headers)

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        creates: bool = False,
        etag: str | None = None,
    ) -> httpx.Response:
        """A change; with `etag`, only of what still is as it was read."""
        headers = {"If-Match": etag} if etag else {}
        if creates:
            headers["Idempotency-Key"] = str(uuid.uuid4())
        return self._ask(method, path, headers=headers, body=body, again=creates)

    def upload(self, path: str, fields: Mapping[str, Any], files: Files) -> httpx.Response:
        """A form, with files that are read from disk as they go."""
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        return self._ask("POST", path, headers=headers, fields=fields, files=files, again=True)

    @contextmanager
    def stream(self, path: str, query: Mapping[str, Any] | None = None) -> Iterator[httpx.Response]:
        """An answer whose body is read as it comes."""
        try:
            with self._http.stream("GET", path, params=query) as response:
                if response.is_error:
                    response.read()
                yield _checked(response)
        except httpx.TransportError as error:
            raise NotReachedError(f"{path}: {error}") from error

    def _ask(
        self,
        method: str,
        path: str,
        *,
        headers: dict[str, str],
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        fields: Mapping[str, Any] | None = None,
        files: Files = (),
        again: bool = True,
    ) -> httpx.Response:
        """The answer, after a few tries where the first ones met what passes by itself.

        What neither creates under a key nor only reads is sent once more only where the server
        has said that it did nothing.
        """
        for left in reversed(range(TRIES)):
            try:
                with ExitStack() as opened:
                    response = self._http.request(
                        method,
                        path,
                        params=query,
                        headers=headers,
                        json=body,
                        data=fields if files else None,
                        files=_opened(opened, files) or _parts(fields),
                    )
            except httpx.TransportError as error:
                unsent = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
                if not left or not (again or unsent):
                    raise NotReachedError(f"{method} {path}: {error}") from error
                self._sleep(_pause(left, None))
                continue
            if not left or not _passes(response, again):
                break
            self._sleep(_pause(left, response))
        return _checked(response)


def _opened(opened: ExitStack, files: Files) -> list[tuple[str, Any]] | None:
    """The files opened anew for this try; None where there are none."""
    found = []
    for name, path in files:
        file = opened.enter_context(path.open("rb"))
        found.append((name, (path.name, file, "application/octet-stream")))
    return found or None


def _parts(fields: Mapping[str, Any] | None) -> list[tuple[str, Any]] | None:
    """A form without a file, which is sent in parts all the same."""
    if fields is None:
        return None
    several = [
        (name, value if isinstance(value, list) else [value]) for name, value in fields.items()
    ]
    return [(name, (None, str(one))) for name, values in several for one in values]


def _passes(response: httpx.Response, again: bool) -> bool:
    """Whether the same request may fare better in a moment, without working twice."""
    if response.status_code == 409:
        return response.headers.get("Retry-After") is not None
    return response.status_code in PASSING and (again or response.status_code == 429)


def _pause(left: int, response: httpx.Response | None) -> float:
    """As long as the server asks for, else longer from try to try, not all clients at once."""
    asked = response.headers.get("Retry-After", "") if response is not None else ""
    if asked.isdigit():
        return min(float(asked), LONGEST_PAUSE)
    longest: float = min(FIRST_PAUSE * 2 ** (TRIES - 1 - left), LONGEST_PAUSE)
    return longest * random.uniform(0.5, 1.0)


def _checked(response: httpx.Response) -> httpx.Response:
    """The answer, unless it is a problem. Raises ProblemError."""
    if response.is_success or response.status_code == 304:
        return response
    try:
        raise problem(response.json())
    except (ValueError, KeyError, AttributeError, TypeError):
        title = response.reason_phrase or "Error"
        raise ProblemError(response.status_code, title, response.text[:500]) from None


def problem(told: Mapping[str, Any]) -> ProblemError:
    """What a problem document says. Raises KeyError and the like for what is none."""
    faults = [
        Fault(one["field"], one["detail"], one.get("file", ""), one.get("line"))
        for one in told.get("errors", ())
    ]
    return ProblemError(told["status"], told["title"], told["detail"], told["type"], faults)
