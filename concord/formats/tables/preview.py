"""The headings and the first rows of a table, by which a person assigns its columns."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from concord.formats.errors import Problems
from concord.formats.files import open_files, unreadable_error
from concord.formats.limits import Limits
from concord.formats.tables.opening import TABLE_FILES, open_table
from concord.formats.tables.table import Cell, Unreadable, numeric_columns
from concord.formats.unpacking import accept_encoding

SAMPLE_ROWS = 4
SAMPLE_CHARS = 200


class PreviewRow(TypedDict):
    """`Preview.to_json()`."""

    header: list[str]
    samples: list[list[str]]
    sheets: list[str]
    sheet: str
    numeric: list[int]


@dataclass(frozen=True)
class Preview:
    """The beginning of a table. `samples`: for each column, the texts of the first rows. `numeric`:
    the positions of the columns that have numbers only."""

    kind: str
    header: tuple[str, ...]
    samples: list[list[str]]
    sheets: tuple[str, ...] = ()
    sheet: str = ""
    numeric: tuple[int, ...] = ()

    def to_json(self) -> PreviewRow:
        return {
            "header": list(self.header),
            "samples": self.samples,
            "sheets": list(self.sheets),
            "sheet": self.sheet,
            "numeric": list(self.numeric),
        }


def preview_table(path: Path, sheet: str | None = None, limits: Limits | None = None) -> Preview:
    """The beginning of the table in a file. Raises FormatError, also for a table without rows."""
    limits, problems = limits or Limits(), Problems()
    try:
        (file,) = open_files([path], limits, TABLE_FILES)
        accept_encoding(file)
        table = open_table(file, limits, problems, sheet)
        first, table = table.begin()
    except OSError as error:
        raise unreadable_error(error, [path]) from error
    problems.raise_if_any()
    if not first:
        raise problems.fatal(table.name, None, None, "has a header but no rows")
    rows = [cells for _, cells in first[:SAMPLE_ROWS]]
    samples = [[sample(row[at]) for row in rows] for at in range(len(table.header))]
    numeric = tuple(sorted(numeric_columns(first)))
    return Preview(table.kind, table.header, samples, table.sheets, table.sheet, numeric)


def sample(cell: Cell) -> str:
    """The beginning of a cell's text, as a database can store it."""
    if isinstance(cell, Unreadable):
        text = f"({cell.reason})"
    else:
        text = " | ".join(cell) if isinstance(cell, list) else cell
    text = text[:SAMPLE_CHARS] + ("…" if len(text) > SAMPLE_CHARS else "")
    # A database cannot store these; the reader reports them where the column is used.
    return text.replace("\0", "�").encode("utf-8", "replace").decode()
