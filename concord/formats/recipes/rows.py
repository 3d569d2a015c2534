"""The rows that the rules of a recipe read: of a table by its columns, of nested JSON as records.

A rule reads each distinct row once; the rows are numbers of these.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from concord.formats.errors import FormatError
from concord.formats.recipes.instances import is_of_value
from concord.formats.recipes.paths import FieldSource, Place, first_name, template_patterns
from concord.formats.recipes.recipe import Values
from concord.formats.recipes.records import RecordFile
from concord.formats.tables import CodedColumns, Codes

# Of nested JSON, which is not held as a whole.
MAX_RECORDS = 1_000
# The rows that differ: their numbers, and the positions of the first of each.
Distinct = tuple[Codes, Codes]


@dataclass(frozen=True)
class CellRows:
    """Rows of a table, all at once, without their lines. cell: the column and rule they are of."""

    file: RecordFile
    table: CodedColumns
    cell: Place | None = None

    @property
    def size(self) -> int:
        return self.table.size

    @property
    def numbers(self) -> Codes:
        """The numbers of the records in the file, from 1."""
        return self.table.numbers

    def at(self, positions: Codes) -> CellRows:
        """Some of the rows."""
        is_all = len(positions) == self.size
        return self if is_all else replace(self, table=self.table.at(positions))

    def distinct(self, sources: Iterable[FieldSource], *, of_names: bool = False) -> Distinct:
        """The rows that differ in what sources read.

        of_names: also in the names of columns and members that have the values.
        """
        return self.table.distinct(self._names(sources))

    def places(
        self, positions: Codes, sources: Iterable[FieldSource] | None = None
    ) -> Iterator[Place]:
        """The rows at these positions, whose problems are added next, with the cells that sources
        read; by default all that are read of the file."""
        table = self.table
        names = set(table.codes) if sources is None else self._names(sources)
        numbers = table.numbers[positions].tolist()
        for number, row in zip(numbers, table.rows(positions, names), strict=True):
            place = self.file.place(row, None, number)
            if self.cell is not None and self.cell.column:
                place = replace(self.cell, number=place.number, scopes=place.scopes,
                                value=row.get(self.cell.column))  # fmt: skip
            self.file.collector.problems.row = number
            yield place

    def _names(self, sources: Iterable[FieldSource]) -> set[str]:
        names = names_read(sources)
        if self.cell is not None:
            names.add(self.cell.column)
        return names


@dataclass(frozen=True)
class PlaceRows:
    """Some records of a file, or values in them. numbers: of the records in the file, from 1."""

    file: RecordFile
    records: Sequence[Place]
    numbers: Codes

    @property
    def size(self) -> int:
        return len(self.records)

    def at(self, positions: Codes) -> PlaceRows:
        """Some of the rows."""
        if len(positions) == self.size:
            return self
        records = [self.records[at] for at in positions.tolist()]
        return PlaceRows(self.file, records, self.numbers[positions])

    def distinct(self, sources: Iterable[FieldSource], *, of_names: bool = False) -> Distinct:
        """As `CellRows.distinct`; each row where faults are named. A list is like no other."""
        if self.file.names_faults:
            return each_at(self), each_at(self)
        getters = [source.get for source in sources]
        known: dict[object, int] = {}
        first: list[int] = []
        codes = np.empty(self.size, np.int64)
        for at, place in enumerate(self.records):
            # 1 is not True.
            key: object = tuple([value if (value := get(place)).__class__ is str
                                 else (value.__class__, value) for get in getters])  # fmt: skip
            if of_names:
                key = (key, place.column, [one for one in place.marks if isinstance(one, str)])
                key = (*key[:2], *key[2])
            try:
                code = known.setdefault(key, len(known))
            except TypeError:
                code = known.setdefault(object(), len(known))
            if code == len(first):
                first.append(at)
            codes[at] = code
        return codes, np.array(first, np.int64)

    def places(
        self, positions: Codes, sources: Iterable[FieldSource] | None = None
    ) -> Iterator[Place]:
        """The rows at these positions."""
        problems = self.file.collector.problems
        numbers = self.numbers[positions].tolist()
        for at, problems.row in zip(positions.tolist(), numbers, strict=True):
            yield self.records[at]


Rows = CellRows | PlaceRows


def rows_of(file: RecordFile, rules: Sequence[Values]) -> Iterator[Rows]:
    """The rows of a file. rules: how its values are read, as `recipe.values`."""
    if not _are_columns(file, rules):
        yield from _records_of(file)
        return
    blank = file.place(dict.fromkeys(file.header, ""))
    sources = [*file.sources.values(), *(one.source for one in file.recipe.leave_out)]
    sources += [source for rule in rules for source in rule.sources.values()]
    cells = (cell for at, rule in enumerate(rules) for cell in file.values_of(blank, rule, at))
    names = {*names_read(sources), *(cell.column for cell in cells)}
    yield CellRows(file, file.columns(names))


def _records_of(file: RecordFile) -> Iterator[PlaceRows]:
    """The records, some after the others; those before an error, too, which is raised then."""
    places, read = file.places(), 0
    error: FormatError | None = None
    while error is None:
        records: list[Place] = []
        try:
            records.extend(islice(places, MAX_RECORDS))
        except FormatError as raised:
            error = raised
        if records:
            yield PlaceRows(file, records, np.arange(read + 1, read + len(records) + 1))
        elif error is None:
            return
        read += len(records)
    file.collector.problems.raise_if_any()  # also those of the last records
    raise error


def _are_columns(file: RecordFile, rules: Sequence[Values]) -> bool:
    """Whether a file is a table whose candidates and values are cells of its rows."""
    recipe = file.recipe
    sources = [*file.sources.values(), *(one.source for one in recipe.leave_out)]
    sources += [source for rule in rules for source in rule.sources.values()]
    return (
        file.is_table
        and not file.names_faults
        and recipe.keys is None  # which have lines
        and not (recipe.texts or recipe.marks or recipe.messages or is_of_value(recipe))
        and not any(rule.path or rule.only or rule.rank for rule in rules)
        and not any({"@row", "@nth"} & {*one.tokens} or template_patterns(one) for one in sources)
    )


def names_read(sources: Iterable[FieldSource]) -> set[str]:
    """The columns that sources may read."""
    names = {name for source in sources for name in source.names}
    return names | {first_name(name) for name in names}


def each_at(rows: Rows) -> Codes:
    """The positions of all rows."""
    return np.arange(rows.size)


def concatenated(parts: Sequence[PlaceRows]) -> tuple[PlaceRows, list[Codes]]:
    """The rows of several parts in the order of their records, and where those of each part are."""
    numbers = np.concatenate([part.numbers for part in parts])
    order = np.argsort(numbers, kind="stable")
    where: NDArray[np.int64] = np.empty(len(order), np.int64)
    where[order] = np.arange(len(order))
    records = [place for part in parts for place in part.records]
    ends = np.cumsum([part.size for part in parts])[:-1]
    merged = PlaceRows(parts[0].file, [records[at] for at in order.tolist()], numbers[order])
    return merged, np.split(where, ends)
