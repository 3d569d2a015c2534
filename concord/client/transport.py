"""HTTP requests of the client, with retries where they are safe."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import httpx

from concord.client.errors import Fault, ProblemError, UnreachableError
from concord.retries import read_retry_after, retry_pause

MAX_TRIES = 5
# Temporary failures: too many requests, or a server that is temporarily unavailable.
RETRY_STATUSES = (429, 502, 503, 504)
CHUNK = 1 << 20

Files = Sequence[tuple[str, Path]]


class ApiTransport:
    """Requests below /api/v1/. A request that creates something has an Idempotency-Key, the same
    for all retries, so that it is executed only once."""

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
        """Close the connections."""
        self._http.close()

    def get(
        self, path: str, query: Mapping[str, Any] | None = None, *, etag: str | None = None
    ) -> httpx.Response:
        """Get a document; with `etag` the status is 304 if it has not changed."""
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
        """Send a change; with `etag` only if the document has not changed."""
        headers = {"If-Match": etag} if etag else {}
        if creates:
            headers["Idempotency-Key"] = str(uuid.uuid4())
        return self._ask(method, path, headers=headers, body=body, repeatable=creates)

    def upload(self, path: str, fields: Mapping[str, Any], files: Files) -> httpx.Response:
        """Send a form with files, which are streamed from disk."""
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        return self._ask("POST", path, headers=headers, fields=fields, files=files, repeatable=True)

    @contextmanager
    def stream(self, path: str, query: Mapping[str, Any] | None = None) -> Iterator[httpx.Response]:
        """A streamed response."""
        try:
            with self._http.stream("GET", path, params=query) as response:
                if response.is_error:
                    response.read()
                yield _check_response(response)
        except httpx.TransportError as error:
            raise UnreachableError(f"{path}: {error}") from error

    def _ask(  # noqa: PLR0913 - what a request can have
        self,
        method: str,
        path: str,
        *,
        headers: dict[str, str],
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        fields: Mapping[str, Any] | None = None,
        files: Files = (),
        repeatable: bool = True,
    ) -> httpx.Response:
        """Send a request, with retries after temporary failures.

        A request that is not `repeatable` (it changes something without an Idempotency-Key) is
        sent again only if the server did not execute it.
        """
        for tries_left in reversed(range(MAX_TRIES)):
            try:
                with ExitStack() as stack:
                    response = self._http.request(
                        method,
                        path,
                        params=query,
                        headers=headers,
                        json=body,
                        data=fields if files else None,
                        files=_open_files(stack, files) or _parts(fields),
                    )
            except httpx.TransportError as error:
                unsent = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
                if not tries_left or not (repeatable or unsent):
                    raise UnreachableError(f"{method} {path}: {error}") from error
                self._sleep(retry_pause(MAX_TRIES - tries_left))
                continue
            if not tries_left or not _is_retryable(response, repeatable):
                break
            wait = read_retry_after(response.headers.get("Retry-After"))
            self._sleep(retry_pause(MAX_TRIES - tries_left, wait))
        return _check_response(response)


def _open_files(stack: ExitStack, files: Files) -> list[tuple[str, Any]] | None:
    """The files, opened for this attempt; None where there are none."""
    parts = []
    for name, path in files:
        file = stack.enter_context(path.open("rb"))
        parts.append((name, (path.name, file, "application/octet-stream")))
    return parts or None


def _parts(fields: Mapping[str, Any] | None) -> list[tuple[str, Any]] | None:
    """The multipart fields of a form without files."""
    if fields is None:
        return None
    several = [
        (name, value if isinstance(value, list) else [value]) for name, value in fields.items()
    ]
    return [(name, (None, str(item))) for name, values in several for item in values]


def _is_retryable(response: httpx.Response, repeatable: bool) -> bool:
    """Whether the request can be sent again without being executed twice."""
    if response.status_code == 409:
        return response.headers.get("Retry-After") is not None
    return response.status_code in RETRY_STATUSES and (repeatable or response.status_code == 429)


def _check_response(response: httpx.Response) -> httpx.Response:
    """The response. Raises ProblemError where it is an error."""
    if response.is_success or response.status_code == 304:
        return response
    try:
        raise problem(response.json())
    except (ValueError, KeyError, AttributeError, TypeError):
        title = response.reason_phrase or "Error"
        raise ProblemError(response.status_code, title, response.text[:500]) from None


def problem(document: Mapping[str, Any]) -> ProblemError:
    """The error of a problem document. Raises KeyError or TypeError for another document."""
    faults = [
        Fault(error["field"], error["detail"], error.get("file", ""), error.get("line"))
        for error in document.get("errors", ())
    ]
    return ProblemError(
        document["status"], document["title"], document["detail"], document["type"], faults
    )
