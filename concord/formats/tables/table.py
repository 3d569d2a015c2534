"""A table: a header and a stream of rows of cells."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from decimal import Decimal
from itertools import chain, islice
from typing import Any

from concord.formats.errors import Problems
from concord.formats.fields import json_type, storage_fault
from concord.formats.limits import Limits
from concord.formats.numbers import read_number
from concord.formats.value_words import is_missing


@dataclass(frozen=True)
class Unreadable:
    """A cell without a text; `reason` is the message of a problem. A problem only where the column
    is used."""

    reason: str


# An empty cell is ""; a list is a list of texts (references of JSON and Parquet).
Cell = str | list[str] | Unreadable


# How many rows show whether a column has numbers only.
ROWS_TO_GUESS = 100


@dataclass(frozen=True)
class Table:
    """A table of a file. `name` is the file's name, with the sheet for a workbook.

    `rows` can be read once: (line, cells) for each row that is not blank, with as many cells as the
    header. The line is the line of a text file, the row of a sheet, else the number of the row. It
    raises FormatError. `sheets` are the names of a workbook's sheets, `unread` what the file has
    beside the table.
    """

    name: str
    kind: str
    header: tuple[str, ...]
    rows: Iterator[tuple[int, list[Cell]]]
    sheets: tuple[str, ...] = ()
    sheet: str = ""
    unread: tuple[str, ...] = ()

    def begin(self) -> tuple[list[tuple[int, list[Cell]]], Table]:
        """The first ROWS_TO_GUESS rows, and the table with all its rows. Raises FormatError."""
        first = list(islice(self.rows, ROWS_TO_GUESS))
        return first, replace(self, rows=chain(first, self.rows))


def numeric_columns(rows: Sequence[tuple[int, Sequence[Cell]]]) -> frozenset[int]:
    """The positions of columns with a number in every cell that is not missing, and with one."""
    columns = zip(*(cells for _, cells in rows), strict=True)
    return frozenset(at for at, cells in enumerate(columns) if _has_numbers_only(cells))


def _has_numbers_only(cells: Sequence[Cell]) -> bool:
    texts = [cell for cell in cells if not is_missing(cell)]
    return bool(texts) and all(isinstance(text, str) and _is_number(text) for text in texts)


def _is_number(text: str) -> bool:
    """Whether a text looks like a number, an amount, a share or a date: digits and no letters."""
    has_digit = any(map(str.isdigit, text))
    return (has_digit and not any(map(str.isalpha, text))) or isinstance(read_number(text), float)


def check_header(
    names: Sequence[str], file: str, line: int | None, limits: Limits, problems: Problems
) -> tuple[str, ...]:
    """The headings; "column 3" for a blank one. Raises FormatError."""
    if len(names) > limits.max_columns:
        message = f"has {len(names):,} columns; at most {limits.max_columns:,} are allowed"
        raise problems.fatal(file, line, None, message)
    for number, name in enumerate(names, start=1):
        if len(name) > limits.max_name_chars or storage_fault(name):
            message = f"the heading has {len(name):,} characters or one that cannot be stored"
            raise problems.fatal(file, line, f"column {number}", message)
    return tuple(name.strip() or f"column {at}" for at, name in enumerate(names, start=1))


def to_cell(value: Any) -> Cell:
    """A value of JSON or Parquet as a cell."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return value
    text = cell_text(value)
    return Unreadable(f"is {json_type(value)}; text is expected") if text is None else text


def cell_text(value: Any) -> str | None:
    """A single value as people read it: 4 for 4.0, 2026-01-05 for a date; None for other values."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value)
    if isinstance(value, int | Decimal):
        return str(value)
    if isinstance(value, datetime):
        is_date = value.time() == time() and value.tzinfo is None
        return str(value.date()) if is_date else str(value)
    return str(value) if isinstance(value, date | time) else None
