"""Tables of text files (CSV, TSV)."""

from __future__ import annotations

from collections.abc import Iterator

from concord.formats.delimited import read_rows, wrong_width
from concord.formats.errors import Problems
from concord.formats.files import SourceFile
from concord.formats.limits import Limits
from concord.formats.tables.table import Cell, Table, check_header


def open_delimited(
    file: SourceFile, limits: Limits, problems: Problems, *, quotes: bool = True
) -> Table:
    """The table of a text, whose first row is the header. quotes: as in `read_rows`."""
    rows = read_rows(file, limits, problems, quotes=quotes)
    line, names = next(rows, (None, []))
    if line is None:
        raise problems.fatal(file.name, None, None, "is empty")
    header = check_header(names, file.name, line, limits, problems)
    return Table(file.name, "csv", header, _cells(rows, file.name, len(header), problems))


def _cells(
    rows: Iterator[tuple[int, list[str]]], name: str, width: int, problems: Problems
) -> Iterator[tuple[int, list[Cell]]]:
    """The rows; one that is shorter or longer than the header is a problem and left out."""
    for line, row in rows:
        if len(row) == width:
            yield line, list(row)
        else:
            problems.add(name, line, None, wrong_width(row, width))
