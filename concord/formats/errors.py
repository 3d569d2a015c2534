"""Errors of readers: file, line, field and message of each problem."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from dataclasses import field as dataclass_field
from operator import itemgetter

MAX_SHOWN_PROBLEMS = 20
"""How many problems a FormatError lists; the others are only counted."""

MAX_PLACES = 3
"""How many further lines or fields are named where a problem is repeated."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem. `file` is empty for a problem of the call itself, such as an invalid option.

    `line` counts from 1. It is None where the format has no lines (JSON documents); `field` is
    then the path, such as `cosmosqa.0048.score`. `repeats` counts further lines or fields with the
    same problem; `message` names the first of them. `cells` are the names and texts of its row,
    where `faulty_rows.with_cells` read them.
    """

    file: str
    line: int | None
    field: str | None
    message: str
    repeats: int = 0
    cells: tuple[tuple[str, str], ...] = dataclass_field(default=(), compare=False)

    def __str__(self) -> str:
        location = self.file if self.line is None else f"{self.file}:{self.line}"
        return ": ".join(part for part in (location, self.field, self.message) if part)


class FormatError(ValueError):
    """The files are rejected as a whole.

    `problems` holds the first MAX_SHOWN_PROBLEMS (or the first `max_shown` of `Problems`),
    `total` counts all of them, and `str()` has one per line.
    """

    def __init__(self, problems: Iterable[Problem], total: int | None = None) -> None:
        all_problems = list(problems)
        self.problems: list[Problem] = (
            all_problems[:MAX_SHOWN_PROBLEMS] if total is None else all_problems
        )
        self.total: int = len(all_problems) if total is None else total
        super().__init__(str(self))

    def __reduce__(self) -> tuple[type[FormatError], tuple[list[Problem], int]]:
        return FormatError, (self.problems, self.total)  # pickling keeps all attributes

    def __str__(self) -> str:
        lines = [str(problem) for problem in self.problems]
        if self.hidden:
            lines.append(f"... and {self.hidden:,} more")
        return "\n".join(lines)

    @property
    def hidden(self) -> int:
        """How many problems are neither listed nor repeats of listed ones."""
        return max(self.total - sum(1 + problem.repeats for problem in self.problems), 0)


class Problems:
    """Collects the problems of a read: all are counted, the first `max_shown` are stored.

    The same problem in several lines (or fields, where there are no lines) is stored once.
    """

    def __init__(self, max_shown: int = MAX_SHOWN_PROBLEMS) -> None:
        self._max_shown = max_shown
        self._first: dict[tuple[str, str | None, str], Problem] = {}
        self._further: dict[tuple[str, str | None, str], list[str]] = {}
        self._repeats: Counter[tuple[str, str | None, str]] = Counter()
        self.total = 0

    @property
    def shown(self) -> list[Problem]:
        """The stored problems, with the lines or fields in which they are repeated."""
        return [self._with_repeats(key) for key in self._first]

    def add(self, file: str, line: int | None, field: str | None, message: str) -> None:
        """Add a problem. Only the first ones are stored; all are counted."""
        self.total += 1
        key = (file, None if line is None else field, message)
        if key in self._first:
            self._repeats[key] += 1
            places = self._further.setdefault(key, [])
            if len(places) < MAX_PLACES:
                places.append(field or "" if line is None else f"{line:,}")
        elif len(self._first) < self._max_shown:
            self._first[key] = Problem(file, line, field, message)

    def raise_if_any(self) -> None:
        """Raise FormatError if there are problems."""
        if self.total:
            raise FormatError(self.shown, self.total)

    def fatal(self, file: str, line: int | None, field: str | None, message: str) -> FormatError:
        """Add a problem after which the reader cannot continue. Returns the error to raise."""
        self.add(file, line, field, message)
        return FormatError(self.shown, self.total)

    def _with_repeats(self, key: tuple[str, str | None, str]) -> Problem:
        problem, repeats = self._first[key], self._repeats[key]
        if not repeats:
            return problem
        places = self._further[key]
        noun = "in" if problem.line is None else "on line" if repeats == 1 else "on lines"
        hidden = repeats - len(places)
        more = f" and {hidden:,} more" if hidden else ""
        message = f"{problem.message} (also {noun} {', '.join(places)}{more})"
        return replace(problem, message=message, repeats=repeats)


class SortedProblems(Problems):
    """The problems of rows that are checked rule by rule, in the order of the rows.

    row: the number of the row whose problems are added next; 0 for none.
    """

    def __init__(self) -> None:
        super().__init__()
        self.row = 0
        self._waits = False
        self._waiting: dict[tuple[tuple[int, int], tuple[str, int | None, str | None, str]], None]
        self._waiting = {}

    def begin_rows(self) -> None:
        """Begin with rows, whose problems wait for `end_rows`."""
        self.row, self._waits = 0, True

    def end_rows(self) -> None:
        """Put the problems of the rows in order."""
        self._waits = False
        self.total -= len(self._waiting)
        for _, problem in sorted(self._waiting, key=itemgetter(0)):
            super().add(*problem)
        self._waiting.clear()

    @property
    def faulty_rows(self) -> set[int]:
        """The numbers of the rows since `begin_rows` that have a problem."""
        return {row for (_, row), _ in self._waiting}

    def add(self, file: str, line: int | None, field: str | None, message: str) -> None:
        """As `Problems.add`; the same problem of a field of a row is one."""
        if not self._waits:
            super().add(file, line, field, message)
            return
        self.total -= len(self._waiting)
        self._waiting[(line or 0, self.row), (file, line, field, message)] = None
        self.total += len(self._waiting)

    @property
    def shown(self) -> list[Problem]:
        """As `Problems.shown`."""
        self.end_rows()
        return super().shown


def quote(text: str, limit: int = 60) -> str:
    """`text` in quotation marks, on one line of ASCII, shortened to `limit` characters."""
    return json.dumps(text if len(text) <= limit else text[: limit - 3] + "...")


def json_path_part(name: str) -> str:
    """A name as part of a JSON path; quoted where it is long or not printable."""
    return name if len(name) <= 60 and name.isprintable() else quote(name)


def quote_names(names: Iterable[str], limit: int = 12) -> str:
    """Names for a sentence: `"a", "b" and 3 more`."""
    all_names = list(names)
    shown = ", ".join(quote(name) for name in all_names[:limit])
    return shown if len(all_names) <= limit else f"{shown} and {len(all_names) - limit:,} more"


def choices_of(names: Iterable[str], noun: str) -> str:
    """What to choose among, for the end of a sentence: `choose one of a, b`. noun: what the names
    are of, in the plural."""
    all_names = [json_path_part(name) for name in names]
    if not all_names:
        return f"there are no {noun}"
    if len(all_names) == 1:
        return f"the only one is {all_names[0]}"
    return f"choose one of {', '.join(all_names)}"
