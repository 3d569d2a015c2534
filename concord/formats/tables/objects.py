"""Tables of objects, whose members are the columns: JSON, JSON Lines and Parquet.

The members of nested objects are columns, too: `answers.text`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from concord.formats.errors import Problems, json_path_part
from concord.formats.files import SourceFile
from concord.formats.limits import Limits
from concord.formats.tables.documents import DocumentRows, rows_of
from concord.formats.tables.table import Cell, Table, check_header, to_cell

Row = tuple[int, dict[str, Any]]
# Objects that are nested deeper are cells without a text.
MAX_DEPTH = 4


def open_objects(file: SourceFile, kind: str, limits: Limits, problems: Problems) -> Table:
    """The table of a file of objects; the header has every member that occurs, in order."""
    document = _document(file, kind, problems)
    if document is None:
        first, second = file.objects(problems), file.objects(Problems())
    else:
        first, second = (enumerate(document.rows, start=1) for _ in range(2))
    names: dict[str, None] = {}
    for line, row in first:
        columns = [name for name, _ in flatten(row)]
        names.update(dict.fromkeys(columns))
        if len(set(columns)) < len(columns):
            repeated = next(name for name in columns if columns.count(name) > 1)
            message = "two members are this column; rename one of them"
            problems.add(file.name, line, json_path_part(repeated), message)
        if len(names) > limits.max_columns:
            message = f"has more than {limits.max_columns:,} columns"
            raise problems.fatal(file.name, line, None, message)
    problems.raise_if_any()
    if not names:
        raise problems.fatal(file.name, None, None, "has no rows with values")
    header = check_header(list(names), file.name, None, limits, problems)
    unread = () if document is None else document.unread
    return Table(file.name, kind, header, _cells(second, list(names)), unread=unread)


def _document(file: SourceFile, kind: str, problems: Problems) -> DocumentRows | None:
    """The rows of a JSON document, which a file of one line may be, too; None for other files."""
    if kind == "json":
        return rows_of(file.document(problems), file.name, problems, is_line=False)
    if kind != "jsonl":
        return None
    faults = Problems()
    lines = file.objects(faults)
    only, other = next(lines, None), next(lines, None)
    if only is None or other is not None or faults.total:
        return None
    return rows_of(only[1], file.name, problems, is_line=True)


def _cells(rows: Iterable[Row], names: list[str]) -> Iterator[tuple[int, list[Cell]]]:
    for line, row in rows:
        values = dict(flatten(row))
        yield line, [to_cell(values.get(name)) for name in names]


def flatten(row: Mapping[str, Any], prefix: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """(column, value) of each member."""
    for name, value in row.items():
        if isinstance(value, dict) and depth < MAX_DEPTH:
            yield from flatten(value, f"{prefix}{name}.", depth + 1)
        else:
            yield f"{prefix}{name}", value
