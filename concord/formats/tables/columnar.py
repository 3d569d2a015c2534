"""A table by its columns: the distinct cells of each, and which of them every row has."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from concord.formats.delimited import max_cell_chars, separator_of
from concord.formats.errors import Problems
from concord.formats.files import UTF8_BOM, SourceFile
from concord.formats.limits import Limits
from concord.formats.tables.table import Cell, Table

if TYPE_CHECKING:
    import pyarrow as pa

Codes = NDArray[np.int64]
_MARK = '"'
# Of the parts of a file in which its quotation marks are searched: they fit the processor's cache.
_PART_BYTES = 1 << 18


@dataclass(frozen=True)
class CodedColumns:
    """Some columns of the rows of a table that are not blank.

    cells: of each column, the distinct cells, in order of their first rows. codes: which of them
    each row has. numbers: of the rows in the table, from 1.
    """

    cells: dict[str, list[Cell]]
    codes: dict[str, Codes]
    numbers: Codes

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self.numbers)

    def at(self, rows: Codes) -> CodedColumns:
        """The same with only some rows, by their positions."""
        import pandas as pd

        cells, codes = {}, {}
        for name, column in self.codes.items():
            codes[name], first = pd.factorize(column[rows])
            cells[name] = list(map(self.cells[name].__getitem__, first.tolist()))
        return CodedColumns(cells, codes, self.numbers[rows])

    def rows(self, at: Codes, names: Collection[str]) -> Iterator[dict[str, Cell]]:
        """The cells of the rows at these positions, in those of these columns that there are."""
        known = [name for name in self.codes if name in names]
        if not known:
            return ({} for _ in at)
        columns = (map(self.cells[name].__getitem__, self.codes[name][at].tolist())
                   for name in known)  # fmt: skip
        return (dict(zip(known, row, strict=True)) for row in zip(*columns, strict=True))

    def distinct(self, names: Collection[str]) -> tuple[Codes, Codes]:
        """The number of each row among those that differ in these columns, in order of their first
        rows, and the positions of these first rows."""
        import pandas as pd

        columns = [(len(self.cells[name]), column) for name, column in self.codes.items()
                   if name in names and len(self.cells[name]) > 1]  # fmt: skip
        if len(columns) == 1:
            codes = columns[0][1]
            return codes, _first_rows(codes)
        # Rows of one candidate often follow each other; then only the first of them is numbered.
        is_new = np.zeros(self.size, bool)
        is_new[:1] = True
        for _, column in columns:
            is_new[1:] |= column[1:] != column[:-1]
        starts = np.flatnonzero(is_new)
        codes = np.zeros(len(starts), np.int64)
        for count, column in columns:  # the numbers of distinct rows keep the products below 2^63
            codes = pd.factorize(codes * count + column[starts])[0]
        first = starts[_first_rows(codes)]
        return np.repeat(codes, np.diff(starts, append=self.size)), first


def _first_rows(codes: Codes) -> Codes:
    """The first row with each code; codes have been numbered in order of these."""
    return np.flatnonzero(np.diff(np.maximum.accumulate(codes), prepend=-1))


def read_columns(
    file: SourceFile,
    table: Table,
    wanted: Mapping[str, int],
    limits: Limits,
    *,
    quotes: bool = True,
) -> CodedColumns:
    """Columns of an open table, by names, at these positions, of one row more than the limit at
    most.

    quotes: as in `open_delimited`.
    """
    first = next(table.rows, None)
    if first is None:
        return _collect((), wanted)
    columns = None
    if table.kind == "csv":
        columns = _parse(file, first[0], len(table.header), wanted, limits, quotes)
    return columns or _collect(islice(chain([first], table.rows), limits.max_rows + 1), wanted)


def _collect(rows: Iterable[tuple[int, Sequence[Any]]], wanted: Mapping[str, int]) -> CodedColumns:
    known: dict[str, dict[Any, int]] = {name: {} for name in wanted}
    codes = {name: array("q") for name in wanted}
    parts = [(at, known[name], codes[name].append) for name, at in wanted.items()]
    size = 0
    for _, cells in rows:
        size += 1
        for at, numbers, add in parts:
            cell = cells[at]
            key = tuple(cell) if type(cell) is list else cell
            add(numbers.setdefault(key, len(numbers)))
    return CodedColumns(
        {name: [list(key) if type(key) is tuple else key for key in numbers]
         for name, numbers in known.items()},
        {name: np.array(column, np.int64) for name, column in codes.items()},
        np.arange(1, size + 1),
    )  # fmt: skip


def _parse(
    file: SourceFile,
    line: int,
    width: int,
    wanted: Mapping[str, int],
    limits: Limits,
    quotes: bool,
) -> CodedColumns | None:
    """Columns of a text that Arrow certainly reads as Python's csv module does; None of others.

    line: of the first row.
    """
    try:
        from pyarrow import ArrowInvalid, BufferReader, csv, dictionary, int32, py_buffer, string
    except ImportError:
        return None
    if file.encoding != "utf-8" or width < 2:
        return None
    with file.stream(Problems()) as stream:
        separator, _ = separator_of(stream)
        begin = sum(len(stream.readline().encode()) for _ in range(1, line))
    data = file.path.read_bytes().removeprefix(UTF8_BOM)
    if not separator.isascii() or not _has_short_lines(data, begin, limits):
        return None
    values = np.frombuffer(data, np.uint8, offset=begin)
    marks = _marks(values) if quotes else np.zeros(0, np.int64)
    if len(marks) and not _are_regular(marks, values, separator, limits):
        return None
    names = [str(at) for at in range(width)]
    try:
        table = csv.read_csv(
            BufferReader(py_buffer(data).slice(begin)),
            # One block: Arrow drops a line feed with which another one begins.
            csv.ReadOptions(use_threads=False, block_size=len(data), column_names=names),
            csv.ParseOptions(delimiter=separator, quote_char=_MARK if quotes else False,
                             newlines_in_values=len(marks) > 0),
            csv.ConvertOptions(column_types=dict.fromkeys(names, dictionary(int32(), string())),
                               include_columns=[str(at) for at in wanted.values()]),
        )  # fmt: skip
    except ArrowInvalid:
        return None
    return _encoded(table, wanted)


def _encoded(table: pa.Table, wanted: Mapping[str, int]) -> CodedColumns | None:
    cells, codes = {}, {}
    are_blank = np.ones(len(table), bool)
    for name, at in wanted.items():
        encoded = table.column(str(at)).combine_chunks()
        cells[name] = encoded.dictionary.to_numpy(zero_copy_only=False).tolist()
        codes[name] = encoded.indices.to_numpy()
        if are_blank.any():
            is_blank = np.array([not cell.strip() for cell in cells[name]], bool)
            are_blank &= is_blank[codes[name]]
    # A row without any cell is left out, and only all columns show it.
    return None if are_blank.any() else CodedColumns(cells, codes, np.arange(1, len(table) + 1))


def _has_short_lines(data: bytes, begin: int, limits: Limits) -> bool:
    """Whether no cell of a line is longer than Python's csv module takes."""
    step = max_cell_chars(limits) // 2
    starts = range(begin, len(data) - step, step)
    return all(data.find(b"\n", at, at + step) >= 0 for at in starts)


def _marks(values: NDArray[np.uint8]) -> Codes:
    """The positions of quotation marks."""
    parts = (np.flatnonzero(values[at : at + _PART_BYTES] == ord(_MARK)) + at
             for at in range(0, len(values), _PART_BYTES))  # fmt: skip
    return np.concatenate([*parts])


def _are_regular(marks: Codes, values: NDArray[np.uint8], separator: str, limits: Limits) -> bool:
    """Whether each quotation mark begins or ends a cell, or is one of two in such a cell."""
    if len(marks) % 2 or separator == "\t":
        return False
    opening, closing = marks[::2], marks[1::2]
    begins = _are_edges(values[opening - 1], separator)
    begins[0] |= opening[0] == 0
    ends = _are_edges(values[np.minimum(closing + 1, len(values) - 1)], separator)
    ends[-1] |= closing[-1] == len(values) - 1
    are_two = opening[1:] == closing[:-1] + 1
    begins[1:] |= are_two
    ends[:-1] |= are_two
    are_short = (closing - opening < max_cell_chars(limits)).all()
    return bool(begins.all() and ends.all() and are_short)


def _are_edges(values: NDArray[np.uint8], separator: str) -> NDArray[np.bool_]:
    """Whether these characters separate cells."""
    are_edges: NDArray[np.bool_] = values == ord(separator)
    for end in b"\r\n":
        are_edges |= values == end
    return are_edges
