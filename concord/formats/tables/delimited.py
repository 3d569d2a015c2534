"""Tables with commas, semicolons or tabs (CSV, TSV)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from concord.formats.errors import Problems
from concord.formats.files import SourceFile
from concord.formats.limits import Limits
from concord.formats.tables.table import Cell, Table, check_header

DELIMITERS = (",", "\t", ";")


def open_delimited(file: SourceFile, limits: Limits, problems: Problems) -> Table:
    """The table of a text; the separator is the most frequent one in the first line."""
    text = file.text(problems)
    first_line = text.lstrip("\r\n").split("\n", 1)[0]
    # The csv module has one limit per process; it is raised, never lowered.
    csv.field_size_limit(max(csv.field_size_limit(), 10 * limits.max_field_chars))
    delimiter = max(DELIMITERS, key=first_line.count)
    rows = _rows(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True),
                 file.name, problems)  # fmt: skip
    line, names = next(rows, (None, []))
    if line is None:
        raise problems.fatal(file.name, None, None, "is empty")
    header = check_header(names, file.name, line, limits, problems)
    return Table(file.name, "csv", header, _cells(rows, file.name, len(header), problems))


def _rows(reader: Iterator[list[str]], name: str, problems: Problems) -> Iterator[
    tuple[int | None, list[str]]
]:  # fmt: skip
    """The rows that are not blank, with the line on which each begins."""
    line = 1
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield line, row
            line = reader.line_num + 1  # type: ignore[attr-defined]
    except csv.Error as error:
        raise problems.fatal(name, line, None, f"is not valid CSV: {error}") from error


def _cells(
    rows: Iterator[tuple[int | None, list[str]]], name: str, width: int, problems: Problems
) -> Iterator[tuple[int, list[Cell]]]:
    for line, row in rows:
        if len(row) > width:
            message = (
                f"has {len(row)} columns, but the header has {width}; put quotation marks around "
                "texts that contain the separator"
            )
            raise problems.fatal(name, line, None, message)
        yield line or 1, [*row, *[""] * (width - len(row))]
