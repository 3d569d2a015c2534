"""Open a file as a table of whatever kind it is."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import islice
from zipfile import ZipFile

from concord.formats.errors import FormatError, Problems
from concord.formats.files import BAD_ARCHIVE, SourceFile, continues
from concord.formats.limits import Limits
from concord.formats.tables.delimited import open_delimited
from concord.formats.tables.objects import open_objects
from concord.formats.tables.table import Table
from concord.formats.tables.workbooks import WORKBOOK, open_workbook

# "csv" has any separator.
KINDS = ("csv", "xlsx", "parquet", "json", "jsonl")
# The kinds of binary files that may be tables (`open_files`).
TABLE_FILES = frozenset({"zip", "parquet"})


def kind_of(file: SourceFile) -> str | None:
    """The kind of the table by the file's content; None for a zip archive that is no workbook."""
    if file.kind == "parquet":
        return "parquet"
    if file.kind == "zip":
        return "xlsx" if _is_workbook(file) else None
    start = file.head.lstrip()
    if start.startswith("["):
        return "json"
    if not start.startswith("{"):
        return "csv"
    first, line_end, _ = start.partition("\n")
    if not line_end and len(start) < file.size:  # a first line that is longer than the head
        return "jsonl"
    try:
        row = json.loads(first)
    except RecursionError:
        return "jsonl"
    except ValueError:
        return "json" if continues(first) else "jsonl"
    lists = [value for value in row.values() if isinstance(value, list)]
    is_document = len(lists) == 1 and lists[0] and isinstance(lists[0][0], dict)
    return "json" if is_document and len(row) == 1 and not _has_lines(file) else "jsonl"


def _has_lines(file: SourceFile) -> bool:
    """Whether several lines have an object each."""
    faults = Problems()
    try:
        return len([*islice(file.objects(faults), 2)]) == 2 and not faults.total
    except FormatError:
        return False


def open_table(
    file: SourceFile,
    limits: Limits,
    problems: Problems,
    sheet: str | None = None,
    *,
    quotes: bool = True,
    header: Sequence[str] = (),
) -> Table:
    """The table of a file that was opened with `TABLE_FILES`. Raises FormatError.

    `sheet` is the name of a workbook's sheet; by default the first that is not blank. `quotes`,
    `header`: as in `open_delimited`.
    """
    kind = kind_of(file)
    if kind is None:
        message = "is a zip archive or an Office document, but no XLSX workbook"
        raise problems.fatal(file.name, None, None, message)
    if sheet and kind != "xlsx":
        raise problems.fatal(file.name, None, None, "has no sheets; it is no XLSX workbook")
    if kind == "xlsx":
        return open_workbook(file, sheet or "", limits, problems)
    if kind == "csv":
        return open_delimited(file, limits, problems, quotes=quotes, header=header)
    return open_objects(file, kind, limits, problems)


def _is_workbook(file: SourceFile) -> bool:
    try:
        with ZipFile(file.path) as archive:
            return WORKBOOK in archive.namelist()
    except BAD_ARCHIVE:
        return False
