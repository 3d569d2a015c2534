"""A table by its columns: the distinct cells of each, and which of them every row has."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from concord.formats.delimited import max_cell_chars, separator_of
from concord.formats.errors import Problems
from concord.formats.files import UTF8_BOM, SourceFile
from concord.formats.limits import Limits
from concord.formats.tables.table import Table

if TYPE_CHECKING:
    import pyarrow as pa

Codes = NDArray[np.int64]
_MARK = '"'
# Of the blocks in which a file is parsed. A longer row is read by Python.
_BLOCK_BYTES = 1 << 22


@dataclass(frozen=True)
class CodedColumns:
    """Some columns of the rows of a table that are not blank, all of whose cells are texts.

    cells: of each column, the distinct cells. codes: which of them each row has. numbers: of the
    rows in the table, from 1.
    """

    cells: dict[str, list[str]]
    codes: dict[str, Codes]
    numbers: Codes

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self.numbers)

    def only(self, is_read: NDArray[np.bool_]) -> CodedColumns:
        """The same without some rows."""
        codes = {name: column[is_read] for name, column in self.codes.items()}
        return CodedColumns(self.cells, codes, self.numbers[is_read])

    def rows(self, at: Sequence[int], names: Collection[str]) -> Iterator[dict[str, str]]:
        """The cells of the rows at these positions, in those of these columns that there are."""
        known = [name for name in self.codes if name in names]
        if not known:
            return ({} for _ in at)
        columns = (map(self.cells[name].__getitem__, self.codes[name][at].tolist())
                   for name in known)  # fmt: skip
        return (dict(zip(known, row, strict=True)) for row in zip(*columns, strict=True))

    def distinct(self, names: Collection[str]) -> tuple[Codes, list[int]]:
        """The number of each row among those that differ in these columns, in order of their first
        rows, and the positions of these first rows."""
        import pandas as pd

        codes = np.zeros(self.size, np.int64)
        for name, column in self.codes.items():
            if name in names:  # the numbers of distinct rows keep the products below 2^63
                codes = pd.factorize(codes * len(self.cells[name]) + column)[0]
        first = np.zeros(int(codes.max(initial=-1)) + 1, np.int64)
        first[codes[::-1]] = np.arange(self.size - 1, -1, -1)  # the last one written stays
        return codes, first.tolist()


def read_columns(
    file: SourceFile,
    table: Table,
    wanted: Mapping[str, int],
    limits: Limits,
    *,
    quotes: bool = True,
    skip: int = 1,
) -> CodedColumns | None:
    """Columns of an open table, by names, at these positions; None where a cell is no text. Then
    the rows have been read.

    quotes: as in `open_delimited`. skip: the rows of a text file above those of the table.
    """
    columns = None
    if table.kind == "csv":
        columns = _parse(file, len(table.header), wanted, limits, quotes, skip)
    return columns or _collect(table.rows, wanted)


def _collect(
    rows: Iterator[tuple[int, Sequence[Any]]], wanted: Mapping[str, int]
) -> CodedColumns | None:
    known: dict[str, dict[Any, int]] = {name: {} for name in wanted}
    codes = {name: array("q") for name in wanted}
    parts = [(at, known[name], codes[name].append) for name, at in wanted.items()]
    size = 0
    try:
        for _, cells in rows:
            size += 1
            for at, numbers, add in parts:
                cell = cells[at]
                add(numbers.setdefault(cell, len(numbers)))
    except TypeError:  # a list of texts
        return None
    if not all(isinstance(cell, str) for numbers in known.values() for cell in numbers):
        return None
    return CodedColumns(
        {name: list(numbers) for name, numbers in known.items()},
        {name: np.array(column, np.int64) for name, column in codes.items()},
        np.arange(1, size + 1),
    )


def _parse(
    file: SourceFile,
    width: int,
    wanted: Mapping[str, int],
    limits: Limits,
    quotes: bool,
    skip: int,
) -> CodedColumns | None:
    """Columns of a text that Arrow certainly reads as Python's csv module does; None of others."""
    try:
        from pyarrow import ArrowInvalid, csv, dictionary, int32, string
    except ImportError:
        return None
    if file.encoding != "utf-8" or width < 2:
        return None
    with file.stream(Problems()) as stream:
        separator, is_named = separator_of(stream)
    data = file.path.read_bytes().removeprefix(UTF8_BOM)
    has_marks = quotes and _MARK.encode() in data
    if not _has_regular_lines(data, separator, limits):
        return None
    if has_marks and not _has_regular_marks(data, separator, limits):
        return None
    del data
    names = [str(at) for at in range(width)]
    try:
        with file.path.open("rb") as binary:
            table = csv.read_csv(
                binary,
                csv.ReadOptions(use_threads=False, block_size=_BLOCK_BYTES, column_names=names,
                                skip_rows=int(is_named)),
                csv.ParseOptions(delimiter=separator, quote_char=_MARK if quotes else False,
                                 newlines_in_values=has_marks),
                csv.ConvertOptions(column_types=dict.fromkeys(names, dictionary(int32(), string())),
                                   include_columns=[str(at) for at in wanted.values()]),
            )  # fmt: skip
    except ArrowInvalid:
        return None
    return _encoded(table.slice(skip), wanted)


def _encoded(table: pa.Table, wanted: Mapping[str, int]) -> CodedColumns | None:
    cells, codes = {}, {}
    are_blank = np.ones(len(table), bool)
    for name, at in wanted.items():
        encoded = table.column(str(at)).unify_dictionaries().combine_chunks()
        cells[name] = encoded.dictionary.to_numpy(zero_copy_only=False).tolist()
        codes[name] = encoded.indices.to_numpy()
        is_blank = np.array([not cell.strip() for cell in cells[name]], bool)
        are_blank &= is_blank[codes[name]]
    # A row without any cell is left out, and only all columns show it.
    return None if are_blank.any() else CodedColumns(cells, codes, np.arange(1, len(table) + 1))


def _has_regular_lines(data: bytes, separator: str, limits: Limits) -> bool:
    """Whether lines end as usual, and no cell is longer than Python's csv module takes."""
    step = max_cell_chars(limits) // 2
    is_short = all(data.find(b"\n", at, at + step) >= 0 for at in range(0, len(data) - step, step))
    return separator.isascii() and is_short and data.count(b"\r") == data.count(b"\r\n")


def _has_regular_marks(data: bytes, separator: str, limits: Limits) -> bool:
    """Whether each quotation mark begins or ends a cell, or is one of two in such a cell."""
    values = np.frombuffer(data, np.uint8)
    marks = np.flatnonzero(values == ord(_MARK))
    if len(marks) % 2 or separator == "\t":
        return False
    opening, closing = marks[::2], marks[1::2]
    is_edge = np.zeros(256, bool)
    is_edge[[ord(separator), *b"\r\n"]] = True
    begins = (opening == 0) | is_edge[values[opening - 1]]
    ends = (closing == len(data) - 1) | is_edge[values[np.minimum(closing + 1, len(data) - 1)]]
    are_two = opening[1:] == closing[:-1] + 1
    begins[1:] |= are_two
    ends[:-1] |= are_two
    are_short = (closing - opening < max_cell_chars(limits)).all()
    return bool(begins.all() and ends.all() and are_short)
