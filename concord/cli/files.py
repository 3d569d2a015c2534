"""Options of the commands that read a file of judgments."""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd

from concord.formats import JUDGMENT_FORMATS
from concord.frames import read_judgments

_OPTIONS = ("systems", "references", "criterion", "reference_system", "split", "constituent")


def add_file(parser: argparse.ArgumentParser) -> None:
    """The file, its format, and what some formats take."""
    option = parser.add_argument
    option("files", metavar="FILE", nargs="+", type=Path)
    option("--from", dest="source", choices=JUDGMENT_FORMATS, default="concord",
           help="the file's format (default: concord)")  # fmt: skip
    option("--systems", type=_names, default=(), help="kpqa: names of its equal parts")
    option("--references", type=int, help="kpqa: use the first N references")
    option("--criterion", help="thumb, squality: which judged criterion")
    option("--reference-system", help="thumb, squality: whose answer is the reference")
    option("--split", help="for files that name none")
    option("--constituent", help="for files that name none")


def read_file(parsed: argparse.Namespace) -> pd.DataFrame:
    """The judgment frame of the command's files. Raises FormatError."""
    given = {name: getattr(parsed, name) for name in _OPTIONS}
    return read_judgments(parsed.files, parsed.source, **given)


def file_name(parsed: argparse.Namespace) -> str:
    """What a table calls the command's files."""
    return ", ".join(path.name for path in parsed.files)


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())
