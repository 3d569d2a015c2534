"""Reading text and JSON files, with errors that name file and line."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from scorers.errors import FileError

Record = TypeVar("Record")


def text_lines(path: Path) -> Iterator[tuple[int, str]]:
    """The non-empty lines of a UTF-8 file, without line ends, with their numbers from 1."""
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, 1):
                text = line.decode("utf-8-sig" if number == 1 else "utf-8").rstrip("\r\n")
                if text.strip():
                    yield number, text
    except UnicodeDecodeError as error:
        raise FileError(f"{path} is not UTF-8: {error.reason} at byte {error.start}") from None
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}") from None


def json_lines(path: Path) -> Iterator[tuple[int, str, Any]]:
    """The JSON document on each non-empty line, with the line's number and its place for errors."""
    for number, line in text_lines(path):
        where = f"{path}, line {number}"
        try:
            document = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            raise FileError(f"{where}: is not JSON: {error}") from None
        yield number, where, document


def first_json(path: Path) -> Any:
    """The JSON document on the first line of a file; None if that line is not one."""
    _, line = next(text_lines(path), (0, ""))
    try:
        return json.loads(line)
    except (json.JSONDecodeError, RecursionError):
        return None


def json_document(path: Path) -> Any:
    """The JSON document in a file."""
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise FileError(f"{path} is not JSON: {error}") from None


@contextmanager
def published_format(where: str, name: str) -> Iterator[None]:
    """Turn the errors of a document that has other keys or types into a FileError."""
    try:
        yield
    except FileError:
        raise
    except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
        raise FileError(f"{where} is not in the format of {name}: {error!r}") from None


def check_texts(*values: object) -> None:
    """Raises TypeError for a value that is not a string."""
    for value in values:
        if not isinstance(value, str):
            raise TypeError(f"{value!r} must be a string")


def read_records(
    path: Path,
    format_: str,
    readers: Mapping[str, Callable[[Path], Iterable[Record]]],
    what: str,
) -> list[Record]:
    """What the reader of a format reads of a file; `what` names a record in errors.

    Raises FileError, which names file, line and field, for an invalid file, for a file without a
    record, and for a format that has no reader.
    """
    if format_ not in readers:
        raise FileError(f"the format must be one of {', '.join(readers)}, not {format_!r}")
    records = list(readers[format_](path))
    if not records:
        raise FileError(f"{path} has no {what}")
    return records
