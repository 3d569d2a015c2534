"""Reading text and JSON files, with errors that name file and line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scorers.jsonl import FileError


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


def json_document(path: Path) -> Any:
    """The JSON document in a file."""
    try:
        return json.loads(path.read_bytes())
    except OSError as error:
        raise FileError(f"{path} cannot be read: {error.strerror}") from None
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise FileError(f"{path} is not JSON: {error}") from None
