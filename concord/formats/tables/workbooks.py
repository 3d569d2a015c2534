"""Tables of XLSX workbooks: one sheet, with the values that its formulas had when it was saved."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice, repeat
from typing import Any
from zipfile import BadZipFile, ZipFile

from concord.formats.errors import FormatError, Problems, json_path_part, quote, quote_names
from concord.formats.files import SourceFile
from concord.formats.limits import Limits
from concord.formats.parquet import missing_package
from concord.formats.tables.table import Cell, Table, Unreadable, cell_text, check_header

WORKBOOK = "xl/workbook.xml"
MAX_PARTS = 10_000
# Excel's own limit.
MAX_SHEET_ROWS = 1_048_576
_CHUNK_BYTES, _TAIL_BYTES = 1 << 20, 64
# Also in UTF-16, which has a NUL beside each of these letters.
_ENTITY = re.compile(rb"<\0?!\0?(D\0?O\0?C\0?T|E\0?N\0?T)")
_FORMULA = re.compile(rb"<(\w{1,20}:)?f[\s>/]")
# A character that XML cannot hold, or "_x005F_" before such a text.
_ESCAPED = re.compile("_x([0-9a-fA-F]{4})_")
_ZEROS = re.compile("0+")
_PERCENT = re.compile(r"[#,0]*(?:\.(0+))?%")


def open_workbook(file: SourceFile, sheet: str, limits: Limits, problems: Problems) -> Table:
    """The table of the sheet, by default of the first visible one that is not blank.

    The first row that is not blank is the header. A formula has the value that it had when the
    workbook was saved. Raises FormatError.
    """
    try:
        import openpyxl  # noqa: F401
    except ImportError as error:
        raise problems.fatal(file.name, None, None, missing_package("openpyxl")) from error
    try:
        has_formulas = _check_parts(file, limits, problems)
        return _open(file, sheet, has_formulas, limits, problems)
    except FormatError:
        raise
    except Exception as error:  # openpyxl raises whatever a damaged part leads to
        raise _damaged(file.name, error, problems) from error


def _check_parts(file: SourceFile, limits: Limits, problems: Problems) -> bool:
    """Check the sizes of the zip's parts. Returns whether a sheet has formulas."""
    has_formulas = False
    with ZipFile(file.path) as archive:
        parts = archive.infolist()
        if len(parts) > MAX_PARTS:
            raise problems.fatal(file.name, None, None, f"has more than {MAX_PARTS:,} parts")
        size = sum(part.file_size for part in parts)
        if size > limits.max_unpacked_bytes:
            message = (
                f"has {size:,} bytes unpacked; at most {limits.max_unpacked_bytes:,} are allowed"
            )
            raise problems.fatal(file.name, None, None, message)
        for part in parts:
            is_sheet = part.filename.startswith("xl/worksheets/")
            # Other parts, such as texts that several cells share, are in memory as a whole.
            if not is_sheet and part.file_size > limits.max_part_bytes:
                message = f"the part {quote(part.filename)} has {part.file_size:,} bytes unpacked"
                raise problems.fatal(file.name, None, None, message)
            tail = b""
            with archive.open(part) as stream:
                while chunk := stream.read(_CHUNK_BYTES):
                    data = tail + chunk
                    if _ENTITY.search(data):
                        message = f"the part {quote(part.filename)} declares entities"
                        raise problems.fatal(file.name, None, None, message)
                    has_formulas |= is_sheet and bool(_FORMULA.search(data))
                    tail = data[-_TAIL_BYTES:]
    return has_formulas


def _open(
    file: SourceFile, sheet: str, has_formulas: bool, limits: Limits, problems: Problems
) -> Table:
    workbook = _load(file, data_only=True)
    visible = [
        one for one in workbook.worksheets if one.sheet_state == "visible"
    ] or workbook.worksheets
    names = tuple(one.title for one in visible)
    if sheet and sheet not in names:
        message = f"has no sheet {quote(sheet)}; it has {quote_names(names)}"
        raise problems.fatal(file.name, None, None, message)
    for worksheet in visible:
        if sheet and worksheet.title != sheet:
            continue
        # A formula without a stored value reads as empty; a second reader sees the formulas.
        formulas = None
        if has_formulas:
            formulas = _load(file, data_only=False)[worksheet.title]
        name = f"{file.name}[{json_path_part(worksheet.title)}]"
        part = _Sheet(name, worksheet, formulas, limits, problems)
        rows = part.rows()
        line, cells = next(rows, (None, []))
        if line is None:
            continue
        header = _header(part.name, line, cells, limits, problems)
        every = part.pad(rows, len(header))
        return Table(part.name, "xlsx", header, every, names, worksheet.title)
    raise problems.fatal(file.name, None, None, "has no sheet with rows")


def _load(file: SourceFile, *, data_only: bool) -> Any:
    import openpyxl

    # By a path, openpyxl would go by the suffix; the reader of the rows closes the file.
    stream = file.path.open("rb")
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
            for number, (cells, other) in islice(both, MAX_SHEET_ROWS):
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
        except FormatError:
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
