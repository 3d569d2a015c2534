"""Options of the commands that read a file of judgments."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pandas as pd

from concord.cli.arguments import positive
from concord.formats import JUDGMENT_FORMATS
from concord.formats.tables import IGNORED, MEANINGS
from concord.frames import read_judgments
from concord.metrics.names import split_names

_OPTIONS = ["systems", "references", "criterion", "reference_system"]
_OPTIONS += ["columns", "sheet", "split", "constituent"]


def add_file(parser: argparse.ArgumentParser) -> None:
    """Add the file, its format, and the options of some formats."""
    option = parser.add_argument
    option("files", metavar="FILE", nargs="+", type=Path)
    option("--from", dest="source", choices=JUDGMENT_FORMATS, default="concord",
           help="the file's format (default: concord)")  # fmt: skip
    option("--systems", type=_names, default=(), help="kpqa: names of the systems, comma-separated")
    option("--references", type=positive, help="kpqa: use the first N references")
    option(
        "--criterion", help="concord, summeval, thumb, squality: the criterion to read as the score"
    )
    option(
        "--reference-system", help="thumb, squality: the system whose answers are the references"
    )
    option("--columns", type=_names, default=(),
           help=f"table: the meaning of each column, among {', '.join(MEANINGS)}, {IGNORED} "
           "(default: guessed by the headings)")  # fmt: skip
    option("--sheet", help="table: the sheet of a workbook")
    option("--split", help="split of files without one")
    option("--constituent", help="constituent of files without one")


def read_file(parsed: argparse.Namespace) -> pd.DataFrame:
    """The judgment frame of the command's files. Raises FormatError."""
    options = {name: getattr(parsed, name) for name in _OPTIONS}
    return read_judgments(parsed.files, parsed.source, **options)


def add_scores(parser: Any, *, required: bool = True) -> None:
    """Add the file with the scores of every candidate, and the metrics to use."""
    option = parser.add_argument
    option(
        "--scores",
        type=Path,
        required=required,
        help="scores of every candidate: JSON Lines, or a table",
    )
    option("--metric", help="metrics to use, comma-separated (default: all in the file)")


def selected_metrics(parsed: argparse.Namespace) -> list[str] | None:
    """The names of the option --metric; None for all. Raises ValueError."""
    if parsed.metric is None:
        return None
    return [name for name in split_names(parsed.metric) if name]


def file_name(parsed: argparse.Namespace) -> str:
    """The name of the command's files in a table."""
    return ", ".join(path.name for path in parsed.files)


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
