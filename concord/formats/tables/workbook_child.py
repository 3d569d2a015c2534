"""A program that writes a sheet of an XLSX workbook as JSON Lines, for `tables.workbooks`.

Cells have the values that their formulas had when the workbook was saved. Started with a JSON
object of `main`'s parameters.
"""

from __future__ import annotations

import json
import re
import resource
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, repeat
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from concord.formats.errors import FormatError, Problems, json_path_part, quote, quote_names
from concord.formats.limits import Limits
from concord.formats.parquet_child import limit, send
from concord.formats.tables.table import Cell, Table, Unreadable, cell_text, check_header

MEMORY_BYTES = 1024**3
MAX_PARTS = 10_000
# Excel's own limit of the rows of a sheet.
MAX_ENTRIES = 1_048_576
_CHUNK_BYTES, _TAIL_BYTES = 1 << 20, 64
# Also in UTF-16, which has a NUL beside each of these letters.
_ENTITY = re.compile(rb"<\0?!\0?(D\0?O\0?C\0?T|E\0?N\0?T)")
_FORMULA = re.compile(rb"<(\w{1,20}:)?f[\s>/]")
# Rows of a sheet and texts that cells share, which are parsed one by one, empty or not.
_ENTRY = re.compile(rb"<(?:\w{1,20}:)?(?:row|si)[\s/>]")
# A character that XML cannot hold, or "_x005F_" before such a text.
_ESCAPED = re.compile("_x([0-9a-fA-F]{4})_")
_ZEROS = re.compile("0+")
_PERCENT = re.compile(r"[#,0]*(?:\.(0+))?%")


def main(path: Path, name: str, sheet: str, limits: Limits) -> None:
    """Write the table: {"name", "header", "sheets", "sheet"}, then {"number", "cells"} of each row;
    a cell that is no text is {"reason": ...}."""
    limit(resource.RLIMIT_AS, MEMORY_BYTES)
    limit(resource.RLIMIT_CPU, limits.max_seconds)
    limit(resource.RLIMIT_CORE, 0)
    try:
        table = read_workbook(path, name, sheet, limits, Problems())
        send({"name": table.name, "header": table.header, "sheets": table.sheets,
              "sheet": table.sheet})  # fmt: skip
        for number, cells in table.rows:
            send({"number": number, "cells": [_sent(cell) for cell in cells]})
    except FormatError as error:
        problem = error.problems[0]
        send({"error": problem.message, "part": problem.file, "at": problem.line,
              "field": problem.field})  # fmt: skip
    except MemoryError:
        send({"error": "needs too much memory"})


def _sent(cell: Cell) -> Cell | dict[str, str]:
    return {"reason": cell.reason} if isinstance(cell, Unreadable) else cell


def read_workbook(path: Path, name: str, sheet: str, limits: Limits, problems: Problems) -> Table:
    """The table of `open_workbook`. Raises FormatError."""
    try:
        has_formulas = _check_parts(path, name, limits, problems)
        return _open(path, name, sheet, has_formulas, limits, problems)
    except (FormatError, MemoryError):
        raise
    except Exception as error:  # openpyxl raises whatever a damaged part leads to
        raise _damaged(name, error, problems) from error


def _check_parts(path: Path, name: str, limits: Limits, problems: Problems) -> bool:
    """Check the sizes of the zip's parts, and their numbers of rows and texts, before any of them
    is parsed. Returns whether a sheet has formulas."""
    has_formulas = False
    with ZipFile(path) as archive:
        parts = archive.infolist()
        if len(parts) > MAX_PARTS:
            raise problems.fatal(name, None, None, f"has more than {MAX_PARTS:,} parts")
        size = sum(part.file_size for part in parts)
        if size > limits.max_unpacked_bytes:
            message = (
                f"has {size:,} bytes unpacked; at most {limits.max_unpacked_bytes:,} are allowed"
            )
            raise problems.fatal(name, None, None, message)
        for part in parts:
            is_sheet = part.filename.startswith("xl/worksheets/")
            # Other parts, such as texts that several cells share, are in memory as a whole.
            if not is_sheet and part.file_size > limits.max_part_bytes:
                message = f"the part {quote(part.filename)} has {part.file_size:,} bytes unpacked"
                raise problems.fatal(name, None, None, message)
            tail, entries = b"", 0
            with archive.open(part) as stream:
                while chunk := stream.read(_CHUNK_BYTES):
                    data = tail + chunk
                    if _ENTITY.search(data):
                        message = f"the part {quote(part.filename)} declares entities"
                        raise problems.fatal(name, None, None, message)
                    has_formulas |= is_sheet and bool(_FORMULA.search(data))
                    tail = data[-_TAIL_BYTES:]
                    # Those in the tail count twice, which is one in some thousand.
                    entries += sum(1 for _ in _ENTRY.finditer(data))
                    if entries > MAX_ENTRIES:
                        message = f"has more than {MAX_ENTRIES:,} rows or texts, also empty ones"
                        raise problems.fatal(name, None, None, message)
    return has_formulas


def _open(
    path: Path, name: str, sheet: str, has_formulas: bool, limits: Limits, problems: Problems
) -> Table:
    workbook = _load(path, data_only=True)
    visible = [
        one for one in workbook.worksheets if one.sheet_state == "visible"
    ] or workbook.worksheets
    names = tuple(one.title for one in visible)
    if sheet and sheet not in names:
        message = f"has no sheet {quote(sheet)}; it has {quote_names(names)}"
        raise problems.fatal(name, None, None, message)
    for worksheet in visible:
        if sheet and worksheet.title != sheet:
            continue
        # A formula without a stored value reads as empty; a second reader sees the formulas.
        formulas = None
        if has_formulas:
            formulas = _load(path, data_only=False)[worksheet.title]
        title = f"{name}[{json_path_part(worksheet.title)}]"
        part = _Sheet(title, worksheet, formulas, limits, problems)
        rows = part.rows()
        line, cells = next(rows, (None, []))
        if line is None:
            continue
        header = _header(part.name, line, cells, limits, problems)
        every = part.pad(rows, len(header))
        return Table(part.name, "xlsx", header, every, names, worksheet.title)
    raise problems.fatal(name, None, None, "has no sheet with rows")


def _load(path: Path, *, data_only: bool) -> Any:
    import openpyxl

    # By a path, openpyxl would go by the suffix; the reader of the rows closes the file.
    stream = path.open("rb")
    return openpyxl.load_workbook(stream, read_only=True, data_only=data_only, keep_links=False)


def _header(
    name: str, line: int, cells: Sequence[Cell], limits: Limits, problems: Problems
) -> tuple[str, ...]:
    texts = []
    for number, cell in enumerate(cells, start=1):
        if isinstance(cell, Unreadable):
            raise problems.fatal(name, line, f"column {number}", f"the heading {cell.reason}")
        texts.append(str(cell))
    return check_header(texts, name, line, limits, problems)


@dataclass(frozen=True)
class _Sheet:
    name: str
    worksheet: Any
    formulas: Any
    limits: Limits
    problems: Problems

    def rows(self) -> Iterator[tuple[int, list[Cell]]]:
        """The rows that are not blank, by their numbers, without blank cells at the end."""
        try:
            others = repeat(None) if self.formulas is None else self._raw(self.formulas)
            both = enumerate(zip(self._raw(self.worksheet), others, strict=False), start=1)
            for number, (cells, other) in islice(both, MAX_ENTRIES):
                row = [_cell(cell) for cell in cells]
                for at, cell in enumerate(other or ()):
                    if row[at] == "" and cell.data_type == "f":
                        row[at] = Unreadable(
                            "is a formula without a stored value; open the file in a spreadsheet "
                            "program and save it, or replace formulas by their values"
                        )
                while row and (row[-1] == "" or (type(row[-1]) is str and not row[-1].strip())):
                    row.pop()
                if row:
                    yield number, row
        except (FormatError, MemoryError):
            raise
        except Exception as error:  # openpyxl raises whatever a damaged part leads to
            raise _damaged(self.name, error, self.problems) from error

    def _raw(self, worksheet: Any) -> Iterator[Sequence[Any]]:
        worksheet.reset_dimensions()
        rows: Iterator[Sequence[Any]] = worksheet.iter_rows()
        for number, row in enumerate(rows, start=1):
            if len(row) > self.limits.max_columns:
                message = (
                    f"has {len(row):,} columns; at most {self.limits.max_columns:,} are allowed"
                )
                raise self.problems.fatal(self.name, number, None, message)
            yield row

    def pad(
        self, rows: Iterator[tuple[int, list[Cell]]], width: int
    ) -> Iterator[tuple[int, list[Cell]]]:
        for number, row in rows:
            if len(row) > width:
                message = f"has a value in column {len(row)}, but the header has {width} columns"
                raise self.problems.fatal(self.name, number, None, message)
            yield number, list(chain(row, repeat("", width - len(row))))


def _cell(cell: Any) -> Cell:
    """A cell as people see it, as far as its format is a percentage, a date or leading zeros."""
    value = cell.value
    if value is None:
        return ""
    if cell.data_type == "e":
        return Unreadable(f"is the error {value}")
    if isinstance(value, str):
        return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), value) if "_x" in value else value
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return _number(float(value), cell.number_format or "General")
    text = cell_text(value)
    return str(value) if text is None else text


def _number(value: float, number_format: str) -> str:
    if matched := _PERCENT.fullmatch(number_format):
        return f"{value * 100:.{len(matched[1] or '')}f}%"
    if _ZEROS.fullmatch(number_format):
        return f"{value:.0f}".zfill(len(number_format))
    # Spreadsheets show fifteen digits: 0.3 for 0.1 + 0.2.
    return cell_text(float(f"{value:.15g}")) or ""


def _damaged(name: str, error: Exception, problems: Problems) -> FormatError:
    reason = "it is damaged" if isinstance(error, BadZipFile) else type(error).__name__
    return problems.fatal(name, None, None, f"cannot be read as XLSX: {reason}")


if __name__ == "__main__":
    asked = json.loads(sys.argv[1])
    main(Path(asked["path"]), asked["name"], asked["sheet"], Limits(**asked["limits"]))
