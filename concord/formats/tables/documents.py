"""The rows of a JSON document: a list of objects, or one of the forms that pandas writes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from concord.formats.errors import Problems, json_path_part, quote, quote_names
from concord.formats.fields import json_type
from concord.formats.tables.columns import meaning_of
from concord.sentences import counted

EXPECTED = "write a list of objects, one a row (in pandas: orient='records')"
# The members of pandas' form "split".
_SPLIT = ("columns", "data")


@dataclass(frozen=True)
class DocumentRows:
    """The rows of a document, and the names of its members that are no rows."""

    rows: list[dict[str, Any]]
    unread: tuple[str, ...] = ()


def rows_of(document: Any, file: str, problems: Problems, *, is_line: bool) -> DocumentRows:
    """The rows of a document.

    It is a list of objects; an object with one such list; or an object of columns: each a list, or
    an object by row (pandas' default), all with the same rows; or an object of rows by name, or
    `columns` and `data` (pandas' "index" and "split"). is_line: the document is the only line of
    JSON Lines, so any other object is one row. Raises FormatError for others.
    """
    if isinstance(document, list):
        return DocumentRows(_objects(document, file, problems))
    if not isinstance(document, dict):
        message = f"is {json_type(document)}; {EXPECTED}"
        raise problems.fatal(file, None, None, message)
    if all(isinstance(document.get(name), list) for name in _SPLIT):
        return _split(document, file, problems)
    lists = [name for name, value in document.items() if _is_rows(value)]
    if len(lists) == 1:
        unread = tuple(name for name in document if name != lists[0])
        return DocumentRows(_objects(document[lists[0]], file, problems), unread)
    if len(lists) > 1:
        message = f"has several lists of objects, {quote_names(lists)}; {EXPECTED}"
        raise problems.fatal(file, None, None, message)
    values = list(document.values())
    if len(values) > 1 and all(isinstance(value, list) for value in values):
        return DocumentRows(_columns_of_lists(document, file, problems))
    if len(values) > 1 and all(isinstance(value, dict) and value for value in values):
        return DocumentRows(_columns_or_rows(document, file, problems))
    if is_line:
        return DocumentRows([document])
    message = f"is an object with {_members(list(document))}; {EXPECTED}"
    raise problems.fatal(file, None, None, message)


def _is_rows(value: object) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def _members(names: Sequence[str]) -> str:
    return f"the members {quote_names(names)}" if names else "no members"


def _objects(rows: list[Any], file: str, problems: Problems) -> list[dict[str, Any]]:
    objects = []
    for number, row in enumerate(rows, start=1):
        if isinstance(row, dict):
            objects.append(row)
        else:
            problems.add(file, number, None, f"is {json_type(row)}; an object is expected")
    return objects


def _split(document: dict[str, Any], file: str, problems: Problems) -> DocumentRows:
    """pandas' form "split": the headings in `columns`, a list for each row in `data`."""
    header = document["columns"]
    if not all(isinstance(name, str) for name in header) or len(set(header)) < len(header):
        message = "different texts are expected, the headings of the lists in `data`"
        raise problems.fatal(file, None, "columns", message)
    rows = []
    for number, row in enumerate(document["data"], start=1):
        if isinstance(row, list) and len(row) == len(header):
            rows.append(dict(zip(header, row, strict=True)))
        else:
            state = (
                f"has {counted(len(row), 'value')}"
                if isinstance(row, list)
                else f"is {json_type(row)}"
            )
            problems.add(file, number, "data", f"{state}; a list of {len(header):,} is expected")
    return DocumentRows(rows, tuple(name for name in document if name not in _SPLIT))


def _columns_of_lists(
    document: dict[str, list[Any]], file: str, problems: Problems
) -> list[dict[str, Any]]:
    (first, length), *others = ((name, len(values)) for name, values in document.items())
    for name, other in others:
        if other != length:
            message = (
                f"has {counted(other, 'value')}, but {quote(first)} has {length:,}; {EXPECTED}"
            )
            raise problems.fatal(file, None, json_path_part(name), message)
    return [dict(zip(document, row, strict=True)) for row in zip(*document.values(), strict=True)]


def _columns_or_rows(
    document: dict[str, dict[str, Any]], file: str, problems: Problems
) -> list[dict[str, Any]]:
    """An object of columns, each an object by row, or of rows by name.

    The names that are usual headings tell which; without any, those that are numbers are of rows.
    """
    first, *others = document.items()
    inner = dict.fromkeys(name for one in document.values() for name in one)
    outer_known, inner_known = (len([*filter(meaning_of, names)]) for names in (document, inner))
    if outer_known == inner_known:
        outer_known, inner_known = (not all(map(str.isdigit, names)) for names in (document, inner))
    if inner_known > outer_known:
        return list(document.values())
    if outer_known == inner_known:
        message = f"is an object of objects: its names {quote_names(document)} and theirs, "
        message += f"{quote_names(inner)}, may both be columns; {EXPECTED}"
        raise problems.fatal(file, None, None, message)
    for name, column in others:
        if column.keys() != first[1].keys():
            message = f"has other rows than the column {quote(first[0])}; {EXPECTED}"
            raise problems.fatal(file, None, json_path_part(name), message)
    return [{name: column[row] for name, column in document.items()} for row in first[1]]
