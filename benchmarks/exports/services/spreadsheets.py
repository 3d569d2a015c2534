"""Spreadsheets (xlsx) as streams, without temporary files.

XlsxWriter makes an empty workbook with the sheets' names and headers. Its parts are sent unchanged,
with the rows inserted into the sheets.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import islice
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import xlsxwriter
from xlsxwriter.utility import xl_col_to_name

Row = Sequence[str | float | None]
# Limits of Excel and similar programs.
MAX_ROWS, MAX_CELL_CHARACTERS = 1_048_576, 32_767
# A larger sheet needs ZIP64, which makes Excel show a warning.
MAX_SHEET_BYTES = 2_000_000_000
TOO_MANY = "There are more rows than a sheet can have. Use the CSV download."
BLOCK_ROWS = 500

_DIMENSION = re.compile(r"<dimension [^>]*/>")
_END = "</sheetData>"
# XML does not allow these characters: a spreadsheet has _x0000_, and _x005F_x0000_ for that text.
_ESCAPED = re.compile(r"_(?=x[0-9a-fA-F]{4}_)")
_UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class Sheet:
    """A sheet. rows: text, numbers, booleans and None, in the columns of `header`."""

    name: str
    header: Sequence[str]
    rows: Iterable[Row]


def stream(sheets: Sequence[Sheet]) -> Iterator[bytes]:
    """The bytes of a workbook, in blocks."""
    parts = ZipFile(_empty_workbook(sheets))
    by_path = {
        f"xl/worksheets/sheet{number}.xml": sheet for number, sheet in enumerate(sheets, start=1)
    }
    output = Output()
    with ZipFile(output, "w", ZIP_DEFLATED) as archive:
        for path in parts.namelist():
            content = parts.read(path)
            if path not in by_path:
                archive.writestr(path, content)
                continue
            before, _, after = _DIMENSION.sub("", content.decode()).partition(_END)
            with archive.open(path, "w") as file:
                file.write(before.encode())
                for block in _blocks(by_path[path].rows):
                    file.write(block)
                    yield output.take()
                file.write((_END + after).encode())
    yield output.take()


class Output(io.RawIOBase):
    """A write-only file; `take` returns and removes what was written since the last call."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, piece: Any) -> int:  # noqa: ANN401 - bytes, or a view of them
        block = bytes(piece)
        self._pieces.append(block)
        return len(block)

    def take(self) -> bytes:
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


def _empty_workbook(sheets: Sequence[Sheet]) -> io.BytesIO:
    file = io.BytesIO()
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(file, options) as workbook:
        bold = workbook.add_format({"bold": True})
        for sheet in sheets:
            worksheet = workbook.add_worksheet(sheet.name)
            worksheet.write_row(0, 0, sheet.header, bold)
            worksheet.freeze_panes(1, 1)
    return file


def _blocks(rows: Iterable[Row]) -> Iterator[bytes]:
    """The rows after the header as XML, in blocks; ends with a message when a sheet is full."""
    numbered = enumerate(rows, start=2)
    n_bytes = 0
    while block_rows := list(islice(numbered, BLOCK_ROWS)):
        fitting = [_row(number, row) for number, row in block_rows if number < MAX_ROWS]
        block = "".join(fitting).encode()
        n_bytes += len(block)
        is_full = len(fitting) < len(block_rows) or n_bytes > MAX_SHEET_BYTES
        if is_full:
            block += _row(block_rows[0][0] + len(fitting), [TOO_MANY]).encode()
        yield block
        if is_full:
            return


def _row(number: int, row: Row) -> str:
    cells = "".join(
        _cell(f"{xl_col_to_name(column)}{number}", value)
        for column, value in enumerate(row)
        if value is not None
    )
    return f'<row r="{number}">{cells}</row>'


def _cell(reference: str, value: str | float) -> str:
    if isinstance(value, str):
        text = _ESCAPED.sub("_x005F_", value[:MAX_CELL_CHARACTERS])
        text = _UNWRITABLE.sub(lambda match: f"_x{ord(match[0]):04X}_", text)
        return (
            f'<c r="{reference}" t="inlineStr"><is><t xml:space="preserve">'
            f"{escape(text, quote=False)}</t></is></c>"
        )
    if isinstance(value, bool):
        return f'<c r="{reference}" t="b"><v>{value:d}</v></c>'
    if not math.isfinite(value):
        return f'<c r="{reference}" t="e"><v>#NUM!</v></c>'
    return f'<c r="{reference}"><v>{value!r}</v></c>'
