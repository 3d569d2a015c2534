"""Tables of XLSX workbooks, which a process of its own reads (`workbook_child`)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from importlib.util import find_spec
from typing import Any

from concord.formats.child import read_lines
from concord.formats.errors import Problems
from concord.formats.files import SourceFile
from concord.formats.limits import Limits
from concord.formats.parquet import missing_package
from concord.formats.tables.table import Cell, Table, Unreadable

WORKBOOK = "xl/workbook.xml"
CHILD = "concord.formats.tables.workbook_child"


def open_workbook(file: SourceFile, sheet: str, limits: Limits, problems: Problems) -> Table:
    """The table of the sheet, by default of the first visible one that is not blank.

    The first row that is not blank is the header. A formula has the value that it had when the
    workbook was saved. Raises FormatError.
    """
    if find_spec("openpyxl") is None:
        raise problems.fatal(file.name, None, None, missing_package("openpyxl"))
    asked = {"path": str(file.path.resolve()), "name": file.name, "sheet": sheet}
    program = ["-m", CHILD, json.dumps({**asked, "limits": asdict(limits)})]
    lines = read_lines(program, file.name, "XLSX", limits, problems)
    opened = next(lines)
    return Table(
        opened["name"],
        "xlsx",
        tuple(opened["header"]),
        _rows(lines),
        tuple(opened["sheets"]),
        opened["sheet"],
    )


def _rows(lines: Iterator[dict[str, Any]]) -> Iterator[tuple[int, list[Cell]]]:
    for line in lines:
        yield line["number"], [_cell(cell) for cell in line["cells"]]


def _cell(sent: str | dict[str, str]) -> Cell:
    return sent if isinstance(sent, str) else Unreadable(sent["reason"])
