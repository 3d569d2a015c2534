"""The records of a file that a recipe reads: rows of a table, or values at a path of JSON."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, combinations, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from concord.formats.collector import REPEATED_HEADER, RecordCollector
from concord.formats.detection import MAX_COLUMNS, missing_signs
from concord.formats.errors import json_path_part, quote_names
from concord.formats.fields import number_in, parse_number
from concord.formats.files import SourceFile, parse_json
from concord.formats.options import ReadOptions
from concord.formats.recipes.names import (
    data_meanings,
    distinct_names,
    renamed,
    template_meanings,
    used_names,
)
from concord.formats.recipes.paths import (
    ALL,
    VALUES,
    FieldSource,
    Place,
    Step,
    all_of,
    column_of,
    column_source,
    first_name,
    first_of,
    walk,
)
from concord.formats.recipes.patterns import matches_any
from concord.formats.recipes.recipe import FormatRecipe, Scale, Values
from concord.formats.tables import (
    CodedColumns,
    Table,
    Unreadable,
    cell_text,
    guess_meanings,
    kind_of,
    open_table,
    read_columns,
    to_cell,
)
from concord.formats.tables.documents import rows_of
from concord.formats.tables.objects import flatten
from concord.formats.tables.table import ROWS_TO_GUESS, Cell, numeric_columns

MAX_NAMES = 10_000
# The fields that a heading's meaning gives (`guess_meanings`), by that meaning.
_FIELD_OF = {"reference": "references"}


class RecordFile:
    """The records of one file. sources: the recipe's fields, and those that headings give.

    names: of the columns, by the names that the recipe has for them. names_faults: whether a fault
    is named in every row that has it; rows are then no faster to read than one by one. Raises
    FormatError.
    """

    def __init__(
        self,
        file: SourceFile,
        recipe: FormatRecipe,
        collector: RecordCollector,
        options: ReadOptions,
        *,
        names_faults: bool = True,
    ) -> None:
        self.file, self.recipe, self.collector = file, recipe, collector
        self.options = options
        self.names_faults = names_faults
        self.sources: dict[str, FieldSource] = dict(recipe.fields)
        self.header: tuple[str, ...] = ()
        self.labels: dict[str, str] = {}
        self._columns: list[dict[str, dict[str, str] | None]] = [{} for _ in recipe.values]
        self._read_from: list[set[str]] = [set() for _ in recipe.values]
        self._meanings = used_names(recipe)
        self._names: dict[str, dict[str, None]] = {}
        self._last: dict[str, Mapping[str, Any]] = {}
        self._root_is_data = _takes_values(recipe.records[0])
        self._are_data = any(
            _takes_values(rule.path) and not rule.columns for rule in recipe.values
        )
        self.without_records = self._headers = 0
        self.row_prefix = collector.row_prefix(file)
        self.scales: dict[str, tuple[float, float]] = {}
        collector.accept_encoding(file)
        kind = kind_of(file)
        is_tabular = recipe.is_tabular or (recipe.headings and not recipe.reads_objects)
        self.is_table = is_tabular or kind in ("csv", "xlsx", None)
        self._table: Table | None = None
        if self.is_table:
            self._table = self._open_table()
        self._objects = iter(()) if self.is_table else self._open_objects()
        self._header_set: frozenset[str] = frozenset(self.header)
        self._require_columns()
        self.sources = {name: self.bound(source) for name, source in self.sources.items()
                        if not self.is_absent(source)}  # fmt: skip

    def places(self) -> Iterator[Place]:
        """The records, in order, without rows that repeat the header, as files that were put
        together have."""
        header = list(self._table.header) if self._table and not self.recipe.header else []
        for number, (line, cells) in enumerate(self._table.rows if self._table else (), start=1):
            if cells == header:
                self._leave_out_header(line, max(1, len(self.recipe.candidates)))
                continue
            yield self.place(dict(zip(self.header, cells, strict=True)), line, number)
        yield from self._objects

    def _leave_out_header(self, line: int | None, rows: int = 1) -> None:
        self._headers += 1
        if not self.recipe.rows_are_ratings:
            self.collector.leave_out_header(self.file.name, line, rows)

    def place(self, row: Mapping[str, Cell], line: int | None = None, number: int = 0) -> Place:
        """The record that a row of the table is."""
        assert self._table is not None
        return Place(self._table.name, line, self._numbered(number), (row,))

    def _numbered(self, number: int) -> int | str:
        """The number of a row, after the name of the file where there are several."""
        return f"{self.row_prefix}{number}" if self.row_prefix else number

    def columns(self, names: Collection[str]) -> CodedColumns:
        """Columns of a table in place of its records, of these names that it has."""
        assert self._table is not None
        # A row that repeats the header does so in all columns, of which those that are read and
        # the first one are compared.
        wanted = {name: at for at, name in enumerate(self.header) if name in names or not at}
        columns = read_columns(self.file, self._table, wanted, self.collector.limits,
                               quotes=self.recipe.quotes)  # fmt: skip
        if self.recipe.header:
            return columns
        header = {name: self._table.header[at] for name, at in wanted.items()}
        is_header = _are_equal(columns, header)
        if not is_header.any():
            return columns
        for _ in range(int(is_header.sum())):
            self._leave_out_header(None)
        columns = columns.at(np.flatnonzero(~is_header))
        return replace(columns, numbers=np.arange(1, columns.size + 1))

    def is_absent(self, source: FieldSource) -> bool:
        """Whether no record has the source: it is optional, and the table has none of its
        columns."""
        return (
            self.is_table
            and source.is_optional
            and bool(source.options)
            and not any(one in self._header_set or one.startswith("@") for one in source.options)
            and not any(map(first_name, source.options))
        )

    def _require_columns(self) -> None:
        """Raise FormatError where a table has none of the columns that a source names."""
        sources = [*self.sources.values(), *(one.source for one in self.recipe.leave_out)]
        sources += [one for rule in self.recipe.values for one in rule.sources.values()]
        for source in sources if self.is_table else ():
            is_known = [name in self._header_set or name[0] == "@" or bool(first_name(name))
                        for name in source.options]  # fmt: skip
            if not source.is_optional and is_known and not any(is_known):
                message = f"no such column; found {quote_names(self.header)}"
                if len(self.header) == 1:
                    message += "; separate the columns by commas, semicolons or tabs"
                self.collector.problems.add(self.file.name, 1, source.text, message)
        self.collector.problems.raise_if_any()

    def _open_objects(self) -> Iterator[Place]:
        """The records of JSON; the first show which members have which headings."""
        places = self._walked()
        if not self.recipe.headings:
            return places
        first = list(islice(places, ROWS_TO_GUESS))
        rows = [dict(flatten(place.scopes[0])) if place.scopes else {} for place in first]
        cells = {name: [to_cell(row.get(name)) for row in rows]
                 for name in dict.fromkeys(name for row in rows for name in row)}  # fmt: skip
        readable = {name: column for name, column in cells.items()
                    if not any(isinstance(cell, Unreadable) for cell in column)}  # fmt: skip
        numbered = enumerate(zip(*readable.values(), strict=True))
        self._add_headings(tuple(readable), numeric_columns(list(numbered)))
        return chain(first, places)

    def _walked(self) -> Iterator[Place]:
        for root in self._roots():
            if self.recipe.scale is not None and self.recipe.scale.path:
                self._read_scales(root, self.recipe.scale)
            place = None
            for steps in self._paths:
                for place in walk(root, steps, self.fault):
                    self.see(place)
                    yield place
                if place is not None:
                    break
            if place is None:
                self.see(root)
                self.without_records += 1

    def _read_scales(self, root: Place, scale: Scale) -> None:
        """The scale of each criterion that the file states."""
        assert scale.criterion and scale.lowest_at and scale.highest_at
        for place in walk(root, scale.path, self.fault):
            self.see(place)
            name = scale.criterion.get(place)
            lowest, highest = (
                parse_number(one.get(place)) for one in (scale.lowest_at, scale.highest_at)
            )
            if isinstance(name, str) and isinstance(lowest, float) and isinstance(highest, float):
                if lowest > highest:
                    self.collector.note(f"Criterion {name}: the lowest value is the best.")
                self.scales[name] = (min(lowest, highest), max(lowest, highest))

    def bound(self, source: FieldSource) -> FieldSource:
        """The source, read directly where it is one column of the table, or several."""
        if source.columns and self.is_table:
            names = [name for name in self.header if matches_any(source.columns, name)]
            count = self.options.references
            if count is not None and not 1 <= count <= len(names):
                message = f"{count} requested; the file has {len(names)}"
                raise self.collector.problems.fatal(self.file.name, None, "references", message)
            return all_of([column_source(name) for name in names[:count]])
        name = column_of(source, self._header_set) if self.is_table else None
        if name is None:
            return source
        return replace(source, get=lambda place: place.scopes[-1][name])

    def fault(self, place: Place, message: str) -> None:
        """Add a problem of a value."""
        self.collector.problems.add(place.file, place.line, place.path or None, message)

    def values_of(self, place: Place, rule: Values, at: int) -> Iterator[Place]:
        """The values that one of `recipe.values`, which is at this position, has in a record."""
        places = self._all_values_of(place, rule, at)
        if rule.only:
            places = filter(partial(_is_read, rule), places)
        return places if rule.rank is None else self._implied(rule, rule.rank, list(places))

    def _implied(self, rule: Values, rank: FieldSource, places: list[Place]) -> Iterator[Place]:
        """The choices that a ranking implies between each two of its items."""
        items: list[tuple[float, str, Place]] = []
        for place in places:
            item, at = cell_text(rule.value.get(place)), number_in(rank.get(place))
            if item and isinstance(at, str):
                self.fault(place, f"the rank {at}")
            elif item and isinstance(at, float):
                items.append((at, item, place))
        for (rank1, item1, place), (rank2, item2, _) in combinations(items, 2):
            value = "tie" if rank1 == rank2 else "1" if rank1 < rank2 else "2"
            filled = {**(place.placeholders or {}), "item1": item1, "item2": item2}
            yield replace(place, value=value, placeholders=filled)

    def _all_values_of(self, place: Place, rule: Values, at: int) -> Iterator[Place]:
        if rule.path and not rule.columns:
            yield from walk(place, rule.path, self.fault)
        elif rule.columns:
            row = place.scopes[0] if place.scopes else {}
            known = self._columns[at]
            for name, value in row.items():
                if name not in known and len(known) < MAX_NAMES:
                    known[name] = self._match(name, rule)
                found = known.get(name)
                if found is not None:
                    shown = json_path_part(name)
                    path = f"{place.path}.{shown}" if place.path else shown
                    cell = replace(
                        place, path=path, value=value, column=name, placeholders=found,
                        label=self.labels.get(name, ""), trail=f"{place.trail}.{name}",
                    )  # fmt: skip
                    if rule.path:
                        yield from self._values_in(cell, rule, at)
                    else:
                        self._read_from[at].add(name)
                        yield cell
        else:
            yield place

    def _values_in(self, cell: Place, rule: Values, at: int) -> Iterator[Place]:
        """The values at the path of a rule inside a cell, which may be JSON; none where it has no
        such path. An object is no value itself: another rule may have a longer path."""
        if isinstance(cell.value, str) and cell.value.startswith(("{", "[")):
            cell.value = parse_json(cell.value)[0]
        for place in walk(cell, rule.path, lambda *_: None):
            if isinstance(place.value, dict) and rule.value.text == "@value":
                continue
            self._read_from[at].add(cell.column)
            yield replace(place, column=cell.column, label=cell.label,
                          placeholders=cell.placeholders)  # fmt: skip

    def see(self, place: Place, outer: int = 0) -> None:
        """Remember the names of a place's objects for the report, but for so many outer ones, and
        those whose names are data."""
        for scope, prefix in zip(place.scopes[: len(place.scopes) - outer], place.prefixes,
                                 strict=False):  # fmt: skip
            if (self._root_is_data and not prefix) or (self._are_data and scope is place.value):
                continue
            if self._last.get(prefix) is not scope:
                self._last[prefix] = scope
                names = self._names.setdefault(prefix, {})
                if len(names) < MAX_NAMES:
                    names.update(dict.fromkeys(scope))

    def report(self) -> None:
        """Report which columns or members were read, and as what."""
        if self.without_records and self._is_split:
            noun = "Lines or items without records"
            self.collector.note(f"{noun}: {self.without_records:,}.")
        if self._headers and self.recipe.rows_are_ratings:
            self.collector.note(f"Rows left out: {self._headers:,}, {REPEATED_HEADER}.")
        meanings = dict(self._meanings)
        for source_name, source in self.sources.items():
            for name in source.names:
                for one in (name,) if self.is_table else (name, name.partition(".")[0]):
                    meanings.setdefault(one, source_name.removesuffix("s"))
        kinds = ["rating"] * len(self.recipe.ratings) + ["score"] * len(self.recipe.scores)
        kinds += ["choice"] * len(self.recipe.choices) + ["candidate"] * len(self.recipe.texts)
        for kind, columns in zip(kinds, self._read_from, strict=True):
            for name in columns:
                meanings.setdefault(name, kind)
        report = self.collector.report
        if self._root_is_data:
            report.columns.update(data_meanings(self.recipe))
        templates = template_meanings(self.recipe)
        for name in (*self.header, *(one for names in self._names.values() for one in names)):
            for pattern, meaning in templates:
                if name not in meanings and pattern.match(name) is not None:
                    meanings[name] = meaning
        if self._table is not None:
            originals = dict(zip(self.header, self._table.header, strict=True))
            read = {originals.get(name, name): meaning for name, meaning in meanings.items()}
            report.see(self._table.header, read)
            report.see(self._table.unread, {}, "beside the table: ")
        paths = [(*path.rpartition(".")[::2], one) for path, one in meanings.items() if "." in path]
        for prefix, names in self._names.items():
            inner = {name: one for head, name, one in paths
                     if f".{prefix}".endswith(f".{head}.")}  # fmt: skip
            report.see(names, meanings | inner, prefix)

    def _match(self, name: str, rule: Values) -> dict[str, str] | None:
        if name in self._meanings or matches_any(rule.others, name):
            return None
        matches = (pattern.match(name) for pattern in rule.columns)
        return next((found for found in matches if found is not None), None)

    @property
    def _paths(self) -> list[tuple[Step, ...]]:
        """The paths from a root to its records, of which the first that reaches any is taken."""
        return [
            steps[1:] if self._is_split and steps and steps[0].kind == ALL else steps
            for steps in self.recipe.records
        ]

    _is_split = False

    def _roots(self) -> Iterator[Place]:
        """The documents in which the path of records begins: lines, the members of a list, or the
        only document. A path that begins with `[*]` may also be of lines."""
        file, problems, steps = self.file, self.collector.problems, self.recipe.records[0]
        has_names = bool(steps) and steps[0].kind == VALUES  # its members' names are data
        if kind_of(file) in ("parquet", "jsonl"):
            self._is_split = True
            for number, (line, value) in enumerate(file.objects(problems), start=1):
                scopes = () if has_names else (value,)
                yield Place(file.name, line, self._numbered(number), scopes, value=value)
            return
        document = file.document(problems)
        if isinstance(document, list):
            has_rows = not steps or steps[0].kind != ALL
        else:
            has_rows = not steps and not _is_record(self.recipe, document)
        if has_rows:
            self._is_split = True
            rows = rows_of(document, file.name, problems, is_line=False)
            for number, row in enumerate(rows.rows, start=1):
                path = f"[{number - 1}]"
                yield Place(file.name, None, self._numbered(number), (row,), path, (), row,
                            trail="[]", prefixes=("[].",))  # fmt: skip
            return
        scopes = (document,) if isinstance(document, dict) and not has_names else ()
        yield Place(file.name, None, self._numbered(1), scopes, value=document)

    def _open_table(self) -> Table:
        recipe, collector = self.recipe, self.collector
        limits = replace(collector.limits, max_columns=MAX_COLUMNS)  # a recipe reads some of them
        table = open_table(self.file, limits, collector.problems, self.options.sheet,
                           quotes=recipe.quotes, header=recipe.header)  # fmt: skip
        first = list(islice(table.rows, max(0, recipe.header_rows - 1)))
        skipped = _header_rows(first, recipe.header_signs)
        if skipped:
            texts = (cell_text(cell) or "" for cell in first[0][1] if isinstance(cell, str))
            self.labels = dict(zip(table.header, texts, strict=False))
        table = replace(table, rows=chain(first[skipped:], table.rows))
        names = distinct_names(table.header)
        if names != table.header and not recipe.is_tabular:
            repeated = next(one for one in table.header if table.header.count(one) > 1)
            collector.problems.add(table.name, None, repeated, "two columns have this heading")
            collector.problems.raise_if_any()
        self.header = renamed(names, self._meanings.keys())
        if recipe.headings:
            first, table = table.begin()
            self._add_headings(self.header, numeric_columns(first))
        return table

    def _add_headings(self, header: Sequence[str], numeric: frozenset[int]) -> None:
        """Take the columns that the recipe does not name for what their headings usually are."""
        rules = [rule for rule in self.recipe.values if not rule.path]
        free = [at for at, name in enumerate(header)
                if name not in self._meanings
                and name.startswith(self.recipe.prefix)
                and not any(self._match(name, rule) is not None for rule in rules)]  # fmt: skip
        names = [header[at].removeprefix(self.recipe.prefix) for at in free]
        meanings = guess_meanings(names, {free.index(at) for at in numeric if at in free})
        found: dict[str, list[str]] = {}
        for at, meaning in zip(free, meanings, strict=True):
            if meaning and meaning != "score":
                found.setdefault(_FIELD_OF.get(meaning, meaning), []).append(header[at])
        for name, columns in found.items():
            if name in self.recipe.fields:
                continue
            if name == "candidate" and len(columns) > 1:
                message = (f"are {len(columns)} answers, and the recipe {self.recipe.name} reads "
                           "one; write a recipe that names it, or one of pairs")  # fmt: skip
                listed = ", ".join(map(json_path_part, columns))
                self.collector.problems.add(self.file.name, None, listed, message)
            sources = list(map(column_source, columns))
            several = name == "references" and len(columns) > 1
            self.sources[name] = all_of(sources) if several else first_of(sources[:1])


def _takes_values(steps: tuple[Step, ...]) -> bool:
    """Whether a path begins with all values of an object, so that its names are data."""
    return bool(steps) and steps[0].kind == VALUES


def _header_rows(rows: Sequence[tuple[int, Sequence[Cell]]], signs: Sequence[str]) -> int:
    """How many of the rows after the names are header rows: all up to the last one with a sign in a
    cell; without signs, all."""
    if not signs:
        return len(rows)
    last = 0
    for number, (_, cells) in enumerate(rows, start=1):
        if any(sign in cell for cell in cells if isinstance(cell, str) for sign in signs):
            last = number
    return last


def _are_equal(columns: CodedColumns, row: Mapping[str, str]) -> NDArray[np.bool_]:
    """Which rows have these cells."""
    is_equal = np.ones(columns.size, bool)
    for name, cell in row.items():
        cells = columns.cells[name]
        is_equal &= columns.codes[name] == (cells.index(cell) if cell in cells else -1)
    return is_equal


def _is_read(rule: Values, place: Place) -> bool:
    """Whether a value is one of those that a rule reads only."""
    text = (cell_text(place.value) or "").strip()
    return matches_any(rule.only, text)


def _is_record(recipe: FormatRecipe, document: Any) -> bool:
    """Whether a document is an object that is one record, though it contains lists of objects: its
    own members have more of the recipe's signs than theirs."""
    if not isinstance(document, dict):
        return False
    inner = {
        name
        for value in document.values()
        if isinstance(value, list)
        for one in value
        if isinstance(one, dict)
        for name in one
    }
    return bool(inner) and len(missing_signs(recipe, document)) < len(missing_signs(recipe, inner))
