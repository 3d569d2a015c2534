"""Tables of text files (CSV, TSV)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from concord.formats.delimited import read_rows, wrong_width
from concord.formats.errors import Problems
from concord.formats.files import SourceFile
from concord.formats.limits import Limits
from concord.formats.tables.table import Cell, Table, check_header


def open_delimited(
    file: SourceFile,
    limits: Limits,
    problems: Problems,
    *,
    quotes: bool = True,
    header: Sequence[str] = (),
) -> Table:
    """The table of a text. quotes: as in `read_rows`. header: the headings of a text without them;
    its further columns have none. By default the first row is the header."""
    rows = read_rows(file, limits, problems, quotes=quotes)
    line, names = next(rows, (None, []))
    if line is None:
        raise problems.fatal(file.name, None, None, "is empty")
    if header:
        if len(names) < len(header):
            message = wrong_width(names, len(header), "the recipe has")
            raise problems.fatal(file.name, line, None, message)
        rows = chain([(line, names)], rows)
        names = [*header, *[""] * (len(names) - len(header))]
    header = check_header(names, file.name, line, limits, problems)
    return Table(file.name, "csv", header, _cells(rows, file.name, len(header), problems))


def _cells(
    rows: Iterator[tuple[int, list[str]]], name: str, width: int, problems: Problems
) -> Iterator[tuple[int, list[Cell]]]:
    """The rows; one that is shorter or longer than the header is a problem and left out."""
    for line, row in rows:
        if len(row) == width:
            yield line, row  # type: ignore[misc]
        else:
            problems.add(name, line, None, wrong_width(row, width))
