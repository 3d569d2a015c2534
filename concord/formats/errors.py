"""What a reader says when a file cannot be taken: where, which field, what is wrong."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass

SHOWN = 20
"""How many problems a FormatError carries; the rest are only counted."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One fault. `file` is empty for a fault of the call itself (an option that does not fit).

    `line` counts from 1 and is None where the format has no lines of its own (JSON documents:
    there `field` is the path, such as `cosmosqa.0048.score`).
    """

    file: str
    line: int | None
    field: str | None
    message: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}:{self.line}"
        return ": ".join(part for part in (place, self.field, self.message) if part)


class FormatError(ValueError):
    """The files were not read: nothing of them may be kept.

    `problems` holds the first twenty, or as many as its `Problems` kept; `total` counts all of
    them; `str()` gives one a line.
    """

    def __init__(self, problems: Iterable[Problem], total: int | None = None) -> None:
        every = list(problems)
        self.problems: list[Problem] = every[:SHOWN] if total is None else every
        self.total: int = len(every) if total is None else total
        super().__init__(str(self))

    def __reduce__(self) -> tuple[type[FormatError], tuple[list[Problem], int]]:
        return FormatError, (self.problems, self.total)  # so that it survives pickling whole

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems]
        if self.total > len(self.problems):
            lines.append(f"... and {self.total - len(self.problems):,} more")
        return "\n".join(lines)


class Problems:
    """Gathers faults while a reader goes on, so that one attempt shows the first `shown`."""

    def __init__(self, shown: int = SHOWN) -> None:
        self._shown = shown
        self._first: list[Problem] = []
        self.total = 0

    def add(self, file: str, line: int | None, field: str | None, message: str) -> None:
        self.total += 1
        if len(self._first) < self._shown:
            self._first.append(Problem(file, line, field, message))

    def raise_if_any(self) -> None:
        if self.total:
            raise FormatError(self._first, self.total)

    def stop(self, file: str, line: int | None, field: str | None, message: str) -> FormatError:
        """Add a fault after which reading on is pointless; returns the error to raise."""
        self.add(file, line, field, message)
        return FormatError(self._first, self.total)


def quoted(text: str, limit: int = 60) -> str:
    """`text` in quotation marks on one line of plain ASCII, cut where it is long."""
    return json.dumps(text if len(text) <= limit else text[: limit - 3] + "...")


def path_part(name: str) -> str:
    """A name as part of a JSON path: as it is, or quoted where it is long or not printable."""
    return name if len(name) <= 60 and name.isprintable() else quoted(name)


def listed(names: Iterable[str], limit: int = 12) -> str:
    """Names as a sentence has them: `"a", "b" and 3 more`."""
    every = list(names)
    shown = ", ".join(quoted(name) for name in every[:limit])
    return shown if len(every) <= limit else f"{shown} and {len(every) - limit:,} more"
