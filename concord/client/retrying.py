"""What the parts of the client share: pages, files, waiting."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from concord.client.documents import Document
from concord.client.transport import CHUNK, Transport

Found = TypeVar("Found", bound=Document)
FilePath = str | os.PathLike[str]


class Asking:
    """Holds the transport."""

    _transport: Transport

    def _one(self, kind: type[Found], path: str, query: Mapping[str, Any] | None = None) -> Found:
        return kind.of(self._transport.get(path, query).json())

    def _every(
        self, kind: type[Found], path: str, query: Mapping[str, Any] | None = None
    ) -> Iterator[Found]:
        """All of a list, page by page, each asked for when the one before is used up."""
        asked: Mapping[str, Any] | None = {"limit": 200, **without_none(query or {})}
        while True:
            page = self._transport.get(path, asked).json()
            yield from (kind.of(row) for row in page["results"])
            if page["next"] is None:
                return
            path, asked = page["next"].partition("/api/v1")[2], None

    def _download(self, path: str, to: FilePath, query: Mapping[str, Any] | None = None) -> Path:
        """A file, written as it comes; it takes its place when it is whole, or never."""
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
    """When to ask again: soon at first, later less often. Raises `late` past the deadline."""

    def __init__(self, timeout: float | None, most: float) -> None:
        self.deadline = None if timeout is None else time.monotonic() + timeout
        self.pause, self.most = 0.1, most

    def wait(self, late: Exception) -> None:
        if self.deadline is not None and time.monotonic() + self.pause > self.deadline:
            raise late
        time.sleep(self.pause)
        self.pause = min(self.pause * 1.5, self.most)


def without_none(values: Mapping[str, Any]) -> dict[str, Any]:
    """What was given, of arguments that may be left out."""
    return {name: value for name, value in values.items() if value is not None}


def part(value: object) -> str:
    """A value as one part of an address."""
    return quote(str(value), safe="@")
