"""Spreadsheets (xlsx) as streams: rows leave as they come, and nothing is written to disk.

XlsxWriter makes an empty workbook with the sheets' names and headers. Its parts are sent as they
are, with the rows put in the sheets.
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

Row = Sequence[Any]
# Excel and its kin hold no more rows in a sheet, and no more characters in a cell.
MAX_ROWS, MAX_CELL_CHARACTERS = 1_048_576, 32_767
# A larger sheet would need ZIP64, of which Excel warns.
MAX_SHEET_BYTES = 2_000_000_000
TOO_MANY = "More rows than a sheet holds: take the CSV download."
BLOCK_ROWS = 500

_DIMENSION = re.compile(r"<dimension [^>]*/>")
_END = "</sheetData>"
# XML holds no such character: a spreadsheet has _x0000_, and _x005F_x0000_ for that very text.
_ESCAPED = re.compile(r"_(?=x[0-9a-fA-F]{4}_)")
_UNWRITABLE = re.compile("[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True)
class Sheet:
    """rows: of text, numbers, booleans and None, under the columns of `header`."""

    name: str
    header: Sequence[str]
    rows: Iterable[Row]


def stream(sheets: Sequence[Sheet]) -> Iterator[bytes]:
    """The bytes of a workbook, in pieces."""
    parts = ZipFile(_empty_workbook(sheets))
    by_path = {f"xl/worksheets/sheet{at}.xml": sheet for at, sheet in enumerate(sheets, start=1)}
    sent = _Sent()
    with ZipFile(sent, "w", ZIP_DEFLATED) as archive:
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
                    yield sent.take()
                file.write((_END + after).encode())
    yield sent.take()


class _Sent(io.RawIOBase):
    """A file that is only written to, in order, and whose content is taken away meanwhile."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, piece: Any) -> int:
        self._pieces.append(bytes(piece))
        return len(piece)

    def take(self) -> bytes:
        pieces, self._pieces = self._pieces, []
        return b"".join(pieces)


def _empty_workbook(sheets: Sequence[Sheet]) -> io.BytesIO:
    file = io.BytesIO()
    options = {"constant_memory": True, "strings_to_formulas": False, "strings_to_urls": False}
    with xlsxwriter.Workbook(file, options) as book:
        bold = book.add_format({"bold": True})
        for one in sheets:
            sheet = book.add_worksheet(one.name)
            sheet.write_row(0, 0, one.header, bold)
            sheet.freeze_panes(1, 1)
    return file


def _blocks(rows: Iterable[Row]) -> Iterator[bytes]:
    """The rows after the header as XML, many at a time, as far as a sheet holds them."""
    numbered = enumerate(rows, start=2)
    written = 0
    while some := list(islice(numbered, BLOCK_ROWS)):
        fitting = [_row(number, row) for number, row in some if number < MAX_ROWS]
        block = "".join(fitting).encode()
        written += len(block)
        is_full = len(fitting) < len(some) or written > MAX_SHEET_BYTES
        if is_full:
            block += _row(some[0][0] + len(fitting), [TOO_MANY]).encode()
        yield block
        if is_full:
            return


def _row(number: int, row: Row) -> str:
    cells = "".join(
        _cell(f"{xl_col_to_name(at)}{number}", value)
        for at, value in enumerate(row)
        if value is not None
    )
    return f'<row r="{number}">{cells}</row>'


def _cell(place: str, value: Any) -> str:
    if isinstance(value, str):
        text = _ESCAPED.sub("_x005F_", value[:MAX_CELL_CHARACTERS])
        text = _UNWRITABLE.sub(lambda found: f"_x{ord(found[0]):04X}_", text)
        return (
            f'<c r="{place}" t="inlineStr"><is><t xml:space="preserve">'
            f"{escape(text, quote=False)}</t></is></c>"
        )
    if isinstance(value, bool):
        return f'<c r="{place}" t="b"><v>{value:d}</v></c>'
    if not math.isfinite(value):
        return f'<c r="{place}" t="e"><v>#NUM!</v></c>'
    return f'<c r="{place}"><v>{value!r}</v></c>'
