"""Tables with one row a rating, read by their columns.

Each distinct candidate, rater and value is read once, by the rules for a record; the rows are
numbers of these. Where a table has a fault, its records are read one by one, so that every fault is
named.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from concord.formats.recipes.instances import CANDIDATE_NAMES, is_of_value
from concord.formats.recipes.paths import FieldSource, Place, column_of, first_name
from concord.formats.recipes.recipe import FormatRecipe, Values
from concord.formats.recipes.records import RecordFile
from concord.formats.tables import CodedColumns, Codes

if TYPE_CHECKING:
    from concord.formats.recipes.judgments import JudgmentReader


def may_have_columns(recipe: FormatRecipe) -> bool:
    """Whether a table of this recipe has ratings, each in some cells of a row."""
    of_values = (one for rule in recipe.values for one in rule.sources.values())
    return (
        recipe.rows_are_ratings
        and bool(recipe.ratings)
        and not (recipe.scores or recipe.texts or recipe.marks or recipe.messages)
        and not recipe.reference_system
        and not any(rule.path for rule in recipe.ratings)
        and not any(
            {"@row", "@nth"} & {*one.tokens} for one in (*recipe.fields.values(), *of_values)
        )
        and not is_of_value(recipe)
    )


def read_by_columns(reader: JudgmentReader, file: RecordFile) -> bool:
    """Read the ratings of a table. False where it cannot be read by columns, or has a fault."""
    if not file.is_table:
        return False
    reader.begin(file)
    recipe = reader.recipe
    blank = file.place(dict.fromkeys(file.header, ""))
    if any(rule.only and any(file.values_of(blank, replace(rule, only=()), at))
           for at, rule in enumerate(reader.rules)):  # fmt: skip
        return False  # values of several columns are one
    cells = [(rule, cell) for at, rule in enumerate(reader.rules)
             for cell in file.values_of(blank, rule, at)]  # fmt: skip
    sources = [*file.sources.values(), *(one.source for one in recipe.leave_out)]
    sources += [source for rule, _ in cells for source in rule.sources.values()]
    names = {*_names(sources), *(cell.column for _, cell in cells)}
    table = file.columns(names)
    reader.records += 0 if table is None else table.size
    if table is None or reader.records > reader.collector.limits.max_rows:
        return False
    if recipe.leave_out:
        table = _without_left_out(reader, file, table)
    candidates = _candidates(reader, file, table)
    if candidates is None:
        return False
    parts = [_ratings(reader, file, table, *one) for one in cells]
    if not parts or reader.collector.problems.total:
        return False
    raters, values = (np.stack(part, axis=1).ravel() for part in zip(*parts, strict=True))
    is_given = values >= 0
    raters = raters[is_given]
    reader.given.add((np.repeat(candidates, len(parts))[is_given], raters, values[is_given]))
    reader.criteria |= reader.given.criteria(raters)
    file.report()
    return True


def _names(sources: Iterable[FieldSource]) -> set[str]:
    """The columns that sources may read."""
    names = {name for source in sources for name in source.names}
    return names | {first_name(name) for name in names}


def _distinct(
    file: RecordFile, table: CodedColumns, sources: Iterable[FieldSource], cell: Place | None = None
) -> tuple[Codes, Iterator[Place]]:
    """The number of each row among those that differ in what sources read, and the first record of
    each. cell: of which column and rule the records are."""
    names = _names(sources)
    if cell is not None:
        names.add(cell.column)
    codes, first = table.distinct(names)
    numbered = zip(table.numbers[first].tolist(), table.rows(first, names), strict=True)
    places = (file.place(row, None, number) for number, row in numbered)
    if cell is None or not cell.column:
        return codes, places
    return codes, (replace(cell, number=place.number, scopes=place.scopes,
                           value=place.scopes[0].get(cell.column)) for place in places)  # fmt: skip


def _without_left_out(
    reader: JudgmentReader, file: RecordFile, table: CodedColumns
) -> CodedColumns:
    codes, places = _distinct(file, table, (one.source for one in reader.recipe.leave_out))
    is_read = []
    for place, count in zip(places, np.bincount(codes).tolist(), strict=True):
        is_read.append(not reader.is_left_out(place, count))
    return table.at(np.flatnonzero(np.array(is_read, bool)[codes]))


def _candidates(reader: JudgmentReader, file: RecordFile, table: CodedColumns) -> Codes | None:
    """The number of the candidate of each row; None where one has a fault."""
    codes, first = table.distinct(_names(file.sources.values()))
    rows, read = table.at(first), reader.instances
    texts = _of_rows(file, rows, "candidate", read.text, read.are_texts)
    names = [_of_rows(file, rows, name, read.short) for name in CANDIDATE_NAMES]
    of_instance, distinct = _distinct(file, rows, read.of_instance)
    places = list(distinct)
    position = file.place({})
    numbers = []
    for reader.row, text, own_names, at in zip(
        rows.numbers.tolist(), texts, zip(*names, strict=True), of_instance.tolist(), strict=True
    ):
        draft = reader.draft_of(places[at], text, own_names)
        if draft is None:
            return None
        draft.position = position  # without the texts of the row
        numbers.append(draft.number)
    return np.array(numbers, np.int64)[codes]


def _of_rows(
    file: RecordFile,
    table: CodedColumns,
    field: str,
    read: Callable[[str, Place], str],
    are_read: Callable[[Sequence[str]], bool] = lambda cells: False,
) -> list[str]:
    """What a function reads of a field in each row. are_read: whether these are the cells."""
    source = file.sources.get(field)
    if source is None:
        return [""] * table.size
    name = column_of(source, file.header)
    if name is not None and are_read(table.cells[name]):
        codes, values = table.codes[name], table.cells[name]
    else:
        codes, places = _distinct(file, table, [source])
        values = [read(field, place) for place in places]
    return list(map(values.__getitem__, codes.tolist()))


def _ratings(
    reader: JudgmentReader, file: RecordFile, table: CodedColumns, rule: Values, cell: Place
) -> tuple[Codes, Codes]:
    """The numbers of the rater and of the value that one rule, and one column, has in each row; -1
    for the value of those without a rating."""
    codes, places = _distinct(file, table, [rule.value], cell)
    read = []
    for place, count in zip(places, np.bincount(codes).tolist(), strict=True):
        value = reader.value(rule, place, count)
        read.append(-1 if value is None else reader.given.value(value))
    values = np.array(read, np.int64)[codes]
    others = [one for name, one in rule.sources.items() if name != "value"]
    codes, places = _distinct(file, table, others, cell)
    # Who gave no rating need not have a name.
    is_rater = np.bincount(codes, values >= 0, len(codes)) > 0
    raters = []
    for place, is_one in zip(places, is_rater.tolist(), strict=False):
        key = reader.rater(rule, place) if is_one else None
        raters.append(-1 if key is None else reader.given.rater(key))
    return np.array(raters, np.int64)[codes], values
