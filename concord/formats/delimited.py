"""Rows of text files whose cells are separated by commas, semicolons or tabs (CSV, TSV)."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Literal, TextIO

from concord.formats.errors import Problems, quote
from concord.formats.files import SourceFile
from concord.formats.limits import Limits
from concord.sentences import counted

SEPARATORS = (",", "\t", ";")
# Excel's line before the header.
_EXCEL = "sep="


def read_rows(
    file: SourceFile,
    limits: Limits,
    problems: Problems,
    width: int | None = None,
    *,
    quotes: bool = True,
) -> Iterator[tuple[int, list[str]]]:
    """The rows that are not blank, with the line on which each begins.

    width: the number of columns, for files without a header. quotes: False where quotation marks
    are characters of the texts. A first line such as `sep=;`, which Excel reads, names the
    separator. Raises FormatError for JSON, for cells
    whose quotation marks do not close, and for a cell of a file with tabs that holds a line break
    and a tab: its quotation mark is part of a text, and the cell would join several rows.
    """
    if file.head.lstrip().startswith(("{", "[")):
        message = f"begins with {quote(file.head.lstrip(), 20)}; rows of CSV or TSV are expected"
        raise problems.fatal(file.name, None, None, message)
    # The csv module has one limit per process; it is raised, never lowered.
    csv.field_size_limit(max(csv.field_size_limit(), max_cell_chars(limits)))
    line = 1
    with file.stream(problems) as stream:
        used, is_named = separator_of(stream, width)
        quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE
        try:
            reader = csv.reader(stream, delimiter=used, strict=True, quoting=quoting)
        except (TypeError, ValueError):
            first = stream.readline().rstrip("\r\n")
            message = f"the line {quote(first)} names no separator"
            raise problems.fatal(file.name, 1, None, message) from None
        if is_named:
            next(reader)
            line = 2
        try:
            for row in reader:
                if row and (row[0].strip() or any(cell.strip() for cell in row)):
                    if used == "\t" and any("\t" in cell and "\n" in cell for cell in row):
                        message = _joined(line, reader.line_num)
                        raise problems.fatal(file.name, line, None, message)
                    yield line, row
                line = reader.line_num + 1
        except csv.Error as error:
            reason = str(error).replace("'\t'", "a tab")
            message = f"is not valid CSV: {reason}"
            if "end of data" in message or "field limit" in message:
                message += "; a quotation mark opened in this row is not closed"
            raise problems.fatal(file.name, line, None, message) from error


def max_cell_chars(limits: Limits) -> int:
    """The most characters of a cell, beyond which its quotation mark is taken to be open."""
    return 10 * limits.max_field_chars


def separator_of(stream: TextIO, width: int | None = None) -> tuple[str, bool]:
    """The separator of a text, and whether its first line is one that names it. The stream is at
    its beginning, then as before."""
    line = stream.readline()
    first = line.rstrip("\r\n")
    is_named = len(first) == len(_EXCEL) + 1 and first.lower().startswith(_EXCEL)
    while line and not line.strip("\r\n"):
        line = stream.readline()
    stream.seek(0)
    return first[-1] if is_named else separator(line.rstrip("\n"), width), is_named


def header_of(head: str) -> list[str]:
    """The names of columns by the beginning of a file; none where that is no row."""
    lines = head.lstrip("\r\n").splitlines()
    mark = ""
    if lines and len(lines[0]) == len(_EXCEL) + 1 and lines[0].lower().startswith(_EXCEL):
        mark = lines.pop(0)[-1]
    try:
        reader = csv.reader(lines, delimiter=mark or separator(lines[0] if lines else ""))
        return [name.strip() for name in next(reader, [])]
    except (csv.Error, TypeError, ValueError):
        return []


def separator(line: str, width: int | None = None) -> str:
    """The separator of a file by its first line: the first that gives `width` cells, else the most
    frequent one."""
    for mark in SEPARATORS if width else ():
        try:
            if len(next(csv.reader([line], delimiter=mark), [])) == width:
                return mark
        except csv.Error:
            continue
    return max(SEPARATORS, key=line.count)


def wrong_width(row: list[str], width: int, against: str = "the header has") -> str:
    """The message for a row whose number of cells is not that of the header."""
    columns = counted(len(row), "column")
    if len(row) < width:
        advice = "write a blank cell for each value that is missing"
    else:
        advice = "put quotation marks around texts that contain the separator"
    return f"has {columns}, but {against} {width}; {advice}"


def _joined(first: int, last: int) -> str:
    return (
        f"a quotation mark joins lines {first} to {last} into one cell with tabs; write a "
        "quotation mark at the beginning of a text as three"
    )
