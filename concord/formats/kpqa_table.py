"""Parse the table of a KPQA CSV file and identify its columns.

The published headers differ. MS-MARCO's and AVSD's are `question, answer, reference1.., scores`;
NarrativeQA's has a row index before and metric values after; SemEval's has no `scores`: its
`reference2` has them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from concord.formats.collector import RecordCollector
from concord.formats.delimited import read_rows, wrong_width
from concord.formats.errors import Problems, quote, quote_names
from concord.formats.files import SourceFile
from concord.formats.limits import Limits
from concord.formats.numbers import read_number

_REFERENCE = re.compile(r"reference\s*([0-9]{1,6})")


@dataclass(frozen=True)
class KpqaRow:
    """One record of the file, which may span lines; `line` is its first."""

    line: int
    cells: list[str]


@dataclass(frozen=True)
class KpqaTable:
    """A file's header and rows. `short`: no row had the last cell."""

    file: str
    header: list[str]
    rows: list[KpqaRow]
    short: bool = False


@dataclass(frozen=True)
class KpqaColumns:
    """Column indices of the fields, and the header."""

    question: int
    answer: int
    references: list[int]
    score: int
    header: list[str]

    def name(self, column: int) -> str:
        """The column's name in the header."""
        return self.header[column].strip()

    def meanings(self, n_references: int | None) -> dict[str, str]:
        """The meaning of each column that is read, by its name; of the references the first
        n_references."""
        single = {self.question: "question", self.answer: "candidate", self.score: "score"}
        used = single | dict.fromkeys(self.references[:n_references], "reference")
        return {self.name(column): meaning for column, meaning in used.items()}


def read_table(file: SourceFile, problems: Problems, limits: Limits) -> KpqaTable:
    """Parse the CSV without blank rows. Raises FormatError where it is not valid."""
    lines = read_rows(file, limits, problems)
    _, header = next(lines, (1, []))
    rows: list[KpqaRow] = []
    for line, cells in lines:
        rows.append(KpqaRow(line, cells))
        if len(rows) > limits.max_rows:
            message = f"more than {limits.max_rows:,} rows; split the file"
            raise problems.fatal(file.name, line, None, message)
    _require_columns(file.name, header, problems)
    return _align_rows(KpqaTable(file.name, header, rows), problems)


def find_columns(table: KpqaTable, collector: RecordCollector) -> KpqaColumns | None:
    """The columns by name; the score column by content where no column has its name.

    None, with a problem, where the score column cannot be identified.
    """
    problems = collector.problems
    positions = _column_positions(table, problems)
    numbered = {
        int(m[1]): positions[name] for name in positions if (m := _REFERENCE.fullmatch(name))
    }
    references = [numbered[position] for position in sorted(numbered)]
    score = _score_column(table, positions, references, collector)
    if score is None:
        return None
    texts = [column for column in references if column != score]
    return KpqaColumns(positions["question"], positions["answer"], texts, score, table.header)


def _require_columns(file: str, header: list[str], problems: Problems) -> None:
    """Raise FormatError for a header without question, answer and a reference."""
    if not header:
        raise problems.fatal(file, None, None, "has no rows; a header row is expected")
    names = {cell.strip().casefold() for cell in header}
    missing = [name for name in ("question", "answer") if name not in names]
    if not any(_REFERENCE.fullmatch(name) for name in names):
        missing.append("reference1")
    columns = quote_names(header)
    if len(header) == 1:
        columns += "; separate the columns by commas, semicolons or tabs"
    for name in missing:
        problems.add(file, 1, name, f"no such column; found {columns}")
    if missing:
        problems.raise_if_any()


def _align_rows(table: KpqaTable, problems: Problems) -> KpqaTable:
    """The table with rows as long as its header; rows of another length are problems.

    Two deviations are accepted where all rows have them: an unnamed row index before the first
    column, and a header with one name too many.
    """
    width = len(table.header)
    widths = {len(row.cells) for row in table.rows}
    if widths == {width + 1} and _is_index([row.cells[0] for row in table.rows]):
        return KpqaTable(table.file, ["", *table.header], table.rows)
    if widths == {width - 1}:
        rows = [KpqaRow(row.line, [*row.cells, ""]) for row in table.rows]
        return KpqaTable(table.file, table.header, rows, short=True)
    for row in table.rows:
        if len(row.cells) != width:
            problems.add(table.file, row.line, None, wrong_width(row.cells, width))
    rows = [row for row in table.rows if len(row.cells) == width]
    return KpqaTable(table.file, table.header, rows)


def _is_index(cells: list[str]) -> bool:
    return cells in ([str(k) for k in range(start, start + len(cells))] for start in (0, 1))


def _column_positions(table: KpqaTable, problems: Problems) -> dict[str, int]:
    """Column indices by name, in lower case."""
    positions: dict[str, int] = {}
    for column, cell in enumerate(table.header):
        name = cell.strip().casefold()
        if name in positions and (name in {"question", "answer", "scores"} or "reference" in name):
            problems.add(table.file, 1, quote(cell), "two columns have this name")
        positions.setdefault(name, column)
    return positions


def _score_column(
    table: KpqaTable, positions: dict[str, int], references: list[int], collector: RecordCollector
) -> int | None:
    """The score column: by name, or the last reference column if it has only numbers."""
    score_column = positions.get("scores", positions.get("score"))
    last = references[-1]
    if score_column is not None and (not table.rows or _has_values(table, score_column)):
        if table.short:
            width = len(table.header)
            message = f"every row has {width - 1} cells, the header {width}; one cell is missing"
            collector.problems.add(table.file, 1, None, message)
            return None
        return score_column
    numeric = [column for column in references if _is_numeric(table, column)]
    if numeric == [last] and len(references) > 1:
        name = table.header[last].strip()
        collector.note(f"{table.file}: the header is shifted: column {name} holds the scores.")
        return last
    state = "no such column" if score_column is None else "the column is empty"
    if not numeric:
        state += f", and {quote(table.header[last])} is not a number in every row"
    elif len(references) > 1:
        state += ", and several columns of numbers could be the scores"
    collector.problems.add(table.file, 1, "scores", f"{state}; found {quote_names(table.header)}")
    return None


def _has_values(table: KpqaTable, column: int) -> bool:
    return any(row.cells[column].strip() for row in table.rows)


def _is_numeric(table: KpqaTable, column: int) -> bool:
    return bool(table.rows) and all(
        isinstance(read_number(row.cells[column]), float) for row in table.rows
    )
