"""Base class of the client's methods: pagination, downloads, polling."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from concord.client.documents import Document
from concord.client.transport import CHUNK, ApiTransport

DocumentType = TypeVar("DocumentType", bound=Document)
FilePath = str | os.PathLike[str]


class ApiMethods:
    """Base class of the groups of methods."""

    _transport: ApiTransport

    def _get(
        self, kind: type[DocumentType], path: str, query: Mapping[str, Any] | None = None
    ) -> DocumentType:
        return kind.of(self._transport.get(path, query).json())

    def _list(
        self, kind: type[DocumentType], path: str, query: Mapping[str, Any] | None = None
    ) -> Iterator[DocumentType]:
        """All documents of a list; pages are requested as needed."""
        parameters: Mapping[str, Any] | None = {"limit": 200, **drop_none(query or {})}
        while True:
            page = self._transport.get(path, parameters).json()
            yield from (kind.of(row) for row in page["results"])
            if page["next"] is None:
                return
            path, parameters = page["next"].partition("/api/v1")[2], None

    def _download(self, path: str, to: FilePath, query: Mapping[str, Any] | None = None) -> Path:
        """Download a file; it appears under its name only when it is complete."""
        target = Path(to)
        handle, part = tempfile.mkstemp(dir=target.parent or Path(), prefix=f".{target.name}.")
        try:
            with os.fdopen(handle, "wb") as file, self._transport.stream(path, query) as answer:
                for chunk in answer.iter_bytes(CHUNK):
                    file.write(chunk)
            os.replace(part, target)
        except BaseException:
            os.unlink(part)
            raise
        return target


class Polling:
    """Intervals of polling, which grow up to `max_pause`. Raises `late` after the deadline."""

    def __init__(self, timeout: float | None, max_pause: float) -> None:
        self.deadline = None if timeout is None else time.monotonic() + timeout
        self.pause, self.max_pause = 0.1, max_pause

    def wait(self, late: Exception) -> None:
        """Sleep until the next poll. Raises `late` if the deadline would pass."""
        if self.deadline is not None and time.monotonic() + self.pause > self.deadline:
            raise late
        time.sleep(self.pause)
        self.pause = min(self.pause * 1.5, self.max_pause)


def drop_none(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that are not None."""
    return {name: value for name, value in values.items() if value is not None}


def path_part(value: object) -> str:
    """A value as one part of a URL path."""
    return quote(str(value), safe="@")
