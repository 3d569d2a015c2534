"""Tables of objects, whose members are the columns: JSON, JSON Lines and Parquet.

The members of nested objects are columns, too: `answers.text`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from concord.formats.errors import Problems
from concord.formats.fields import json_type
from concord.formats.files import SourceFile
from concord.formats.limits import Limits
from concord.formats.tables.table import Cell, Table, check_header, to_cell

Row = tuple[int, dict[str, Any]]
# Objects that are nested deeper are cells without a text.
MAX_DEPTH = 4


def open_objects(file: SourceFile, kind: str, limits: Limits, problems: Problems) -> Table:
    """The table of a file of objects; the header has every member that occurs, in order."""
    if kind == "json":
        rows = list(_document_rows(file, problems))
        first, second = iter(rows), iter(rows)
    else:
        first, second = file.objects(problems), file.objects(Problems())
    names: dict[str, None] = {}
    for line, row in first:
        names.update(dict.fromkeys(_flatten(row)))
        if len(names) > limits.max_columns:
            message = f"has more than {limits.max_columns:,} columns"
            raise problems.fatal(file.name, line, None, message)
    problems.raise_if_any()
    if not names:
        raise problems.fatal(file.name, None, None, "has no rows with values")
    header = check_header(list(names), file.name, None, limits, problems)
    return Table(file.name, kind, header, _cells(second, list(names)))


def _cells(rows: Iterable[Row], names: list[str]) -> Iterator[tuple[int, list[Cell]]]:
    for line, row in rows:
        values = _flatten(row)
        yield line, [to_cell(values.get(name)) for name in names]


def _flatten(row: dict[str, Any], prefix: str = "", depth: int = 0) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict) and depth < MAX_DEPTH:
            flat.update(_flatten(value, f"{prefix}{name}.", depth + 1))
        else:
            flat[f"{prefix}{name}"] = value
    return flat


def _document_rows(file: SourceFile, problems: Problems) -> Iterator[Row]:
    """The objects of a JSON list, or of an object whose only list of objects it is."""
    document = file.document(problems)
    if isinstance(document, dict):
        lists = [value for value in document.values() if isinstance(value, list)]
        document = lists[0] if len(lists) == 1 else document
    if not isinstance(document, list):
        message = f"is {json_type(document)}; a list of objects is expected"
        raise problems.fatal(file.name, None, None, message)
    for number, row in enumerate(document, start=1):
        if isinstance(row, dict):
            yield number, row
        else:
            problems.add(file.name, number, None, f"is {json_type(row)}; an object is expected")
