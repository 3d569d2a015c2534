"""The table of a KPQA csv file: its rows, and what its header means.

The published headers are not all alike. MS-MARCO's and AVSD's say `question, answer,
reference1.., scores`; NarrativeQA's has a row index before and metric values after; SemEval's
has no `scores` at all: its `reference2` holds them.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass

from concord.formats.errors import Problems, listed, quoted
from concord.formats.files import SourceFile
from concord.formats.limits import Limits
from concord.formats.reading import Reading

_REFERENCE = re.compile(r"reference\s*([0-9]{1,6})")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,4})?")


@dataclass(frozen=True)
class Row:
    """One record of the file, which may span lines; `line` is the first of them."""

    line: int
    cells: list[str]


@dataclass(frozen=True)
class Table:
    """A file's header and rows. `short` says that every row lacked the last cell."""

    file: str
    header: list[str]
    rows: list[Row]
    short: bool = False


@dataclass(frozen=True)
class Columns:
    """Where things stand in a row, and what the header calls those places."""

    question: int
    answer: int
    references: list[int]
    score: int
    header: list[str]

    def name(self, column: int) -> str:
        return self.header[column].strip()


def number(cell: str) -> float | None:
    """A cell as a finite number, or None: no "nan", "inf" or "1_000", which float() takes."""
    value = float(cell) if _NUMBER.fullmatch(cell := cell.strip()) else None
    return None if value is None or value in (float("inf"), float("-inf")) else value


def read_table(file: SourceFile, problems: Problems, limits: Limits) -> Table:
    """Parse the csv; raises FormatError when it is none. Blank rows are passed over."""
    # The csv module has one limit for the whole process: raised where it is lower, never lowered.
    csv.field_size_limit(max(csv.field_size_limit(), limits.max_field_chars + 1))
    reader = csv.reader(io.StringIO(file.text(problems), newline=""), strict=True)
    header: list[str] = []
    rows: list[Row] = []
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                if header:
                    rows.append(Row(line, cells))
                else:
                    header = cells
            line = reader.line_num + 1
            if len(rows) > limits.max_rows:
                message = f"more than {limits.max_rows:,} rows; split the file"
                raise problems.stop(file.name, line, None, message)
    except csv.Error as error:
        message = f"is not valid CSV: {error}"
        if "end of data" in message or "field limit" in message:
            message += "; a quotation mark opened in this row is not closed"
        raise problems.stop(file.name, line, None, message) from None
    _require_columns(file.name, header, problems)
    return _squared(Table(file.name, header, rows), problems)


def find_columns(table: Table, reading: Reading) -> Columns | None:
    """The columns by name, and the score by content where its name is missing.

    None when they cannot be told, which is then among the problems.
    """
    problems = reading.problems
    places = _places(table, problems)
    numbered = {int(m[1]): places[name] for name in places if (m := _REFERENCE.fullmatch(name))}
    references = [numbered[position] for position in sorted(numbered)]
    score = _score_column(table, places, references, reading)
    if score is None:
        return None
    texts = [column for column in references if column != score]
    used = {places["question"], places["answer"], score, *texts}
    unread = [cell for column, cell in enumerate(table.header) if column not in used]
    if named := [cell for cell in unread if cell.strip()]:
        reading.note(f"{table.file}: columns not read: {listed(named)}.")
    return Columns(places["question"], places["answer"], texts, score, table.header)


def _require_columns(file: str, header: list[str], problems: Problems) -> None:
    """Raise FormatError for a header without question, answer and a reference."""
    if not header:
        raise problems.stop(file, None, None, "holds no table")
    names = {cell.strip().casefold() for cell in header}
    missing = [name for name in ("question", "answer") if name not in names]
    if not any(_REFERENCE.fullmatch(name) for name in names):
        missing.append("reference1")
    found = listed(header)
    if len(header) == 1:
        found += "; the columns must be separated by commas"
    for name in missing:
        problems.add(file, 1, name, f"no such column; found {found}")
    if missing:
        problems.raise_if_any()


def _squared(table: Table, problems: Problems) -> Table:
    """The table with rows as long as its header; rows of another length are problems.

    Two slips common to all rows are understood: a row index without a name before the first
    column, and a header with one name too many.
    """
    width = len(table.header)
    widths = {len(row.cells) for row in table.rows}
    if widths == {width + 1} and _is_index([row.cells[0] for row in table.rows]):
        return Table(table.file, ["", *table.header], table.rows)
    if widths == {width - 1}:
        rows = [Row(row.line, [*row.cells, ""]) for row in table.rows]
        return Table(table.file, table.header, rows, short=True)
    for row in table.rows:
        if len(row.cells) != width:
            message = f"the row has {len(row.cells)} cells, the header {width}"
            problems.add(table.file, row.line, None, message)
    rows = [row for row in table.rows if len(row.cells) == width]
    return Table(table.file, table.header, rows)


def _is_index(cells: list[str]) -> bool:
    return cells in ([str(k) for k in range(start, start + len(cells))] for start in (0, 1))


def _places(table: Table, problems: Problems) -> dict[str, int]:
    """Column positions by name, in small letters."""
    places: dict[str, int] = {}
    for column, cell in enumerate(table.header):
        name = cell.strip().casefold()
        if name in places and (name in {"question", "answer", "scores"} or "reference" in name):
            problems.add(table.file, 1, quoted(cell), "two columns have this name")
        places.setdefault(name, column)
    return places


def _score_column(
    table: Table, places: dict[str, int], references: list[int], reading: Reading
) -> int | None:
    """The column of the scores: the one so named, or a last reference that is all numbers."""
    named = places.get("scores", places.get("score"))
    last = references[-1]
    if named is not None and (not table.rows or _filled(table, named)):
        if table.short:
            width = len(table.header)
            message = f"every row has {width - 1} cells, the header {width}: which one is missing?"
            reading.problems.add(table.file, 1, None, message)
            return None
        return named
    numeric = [column for column in references if _numeric(table, column)]
    if numeric == [last] and len(references) > 1:
        name = table.header[last].strip()
        reading.note(f"{table.file}: the header is shifted: column {name} holds the scores.")
        return last
    state = "no such column" if named is None else "the column is empty"
    if not numeric:
        state += f", and {quoted(table.header[last])} is not a number in every row"
    elif len(references) > 1:
        state += ", and which of the columns of numbers holds the scores cannot be told"
    reading.problems.add(table.file, 1, "scores", f"{state}; found {listed(table.header)}")
    return None


def _filled(table: Table, column: int) -> bool:
    return any(row.cells[column].strip() for row in table.rows)


def _numeric(table: Table, column: int) -> bool:
    return bool(table.rows) and all(number(row.cells[column]) is not None for row in table.rows)
