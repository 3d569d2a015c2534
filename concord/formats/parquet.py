"""Read the rows of a Parquet file, in a process of its own (`parquet_child`)."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from concord.formats.child import read_lines
from concord.formats.errors import Problems
from concord.formats.limits import Limits

CHILD = Path(__file__).with_name("parquet_child.py")


def rows(
    path: Path, name: str, limits: Limits, problems: Problems
) -> Iterator[tuple[int, dict[str, Any]]]:
    """(row number from 1, {column: value}) for each row; nulls are left out.

    Sizes are checked by the metadata before anything is unpacked. Raises FormatError for a file
    that is not Parquet or exceeds the limits.
    """
    lines = _lines(path, name, limits, problems)
    next(lines)
    for number, sent in enumerate(lines, start=1):
        yield number, sent["row"]


def column_names(path: Path) -> list[str]:
    """The names of a file's columns; none for a file that cannot be read."""
    lines = _lines(path, "", Limits(), Problems())
    try:
        columns: list[str] = next(lines)["columns"]
        return columns
    except ValueError:  # a FormatError
        return []
    finally:
        lines.close()


def missing_package(package: str) -> str:
    """The message where an optional package is not installed."""
    return f'needs the package {package}: pip install "concord-judgments[tables]"'


def _lines(
    path: Path, name: str, limits: Limits, problems: Problems
) -> Generator[dict[str, Any], None, None]:
    """The lines of the child process: its columns, then the rows. Raises FormatError."""
    if find_spec("pyarrow") is None:
        raise problems.fatal(name, None, None, missing_package("pyarrow"))
    bounds = {
        "columns": limits.max_columns,
        "rows": limits.max_rows,
        "bytes": limits.max_unpacked_bytes,
        "group_bytes": limits.max_group_bytes,
        "chars": limits.max_field_chars,
        "seconds": limits.max_seconds,
    }
    program = [str(CHILD), str(path.resolve()), json.dumps(bounds)]
    yield from read_lines(program, name, "Parquet", limits, problems)
