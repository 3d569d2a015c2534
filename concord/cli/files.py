"""Options of the commands that read a file of judgments, and what was read of a file."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import pandas as pd

from concord.cli.arguments import positive
from concord.formats import (
    JUDGMENT_FORMATS,
    RECIPES,
    USER_OPTIONS,
    FileReport,
    FormatRecipe,
    ReadOptions,
    detect_judgments,
    option_help,
    read_recipe,
)
from concord.frames import read_judgments
from concord.metrics.names import split_names


def add_file(parser: argparse.ArgumentParser) -> None:
    """Add the file, its format, and the options of some formats."""
    option = parser.add_argument
    option("files", metavar="FILE", nargs="+", type=Path)
    add_format(option)
    add_options(parser)


def add_format(
    option: Any, formats: Sequence[str] = JUDGMENT_FORMATS, default: str = "by its content"
) -> None:
    """Add the options that name the format of a file: one of `formats`, or a recipe. default: what
    it is without them, in words."""
    option("--from", dest="source", choices=formats, metavar="FORMAT",
           help=f"the file's format (default: {default}): {', '.join(formats)}")  # fmt: skip
    option("--recipe", metavar="RECIPE",
           help="the file's format: a recipe in the box, or a TOML file of your own")  # fmt: skip


def add_options(parser: Any, kind: str = "judgments") -> None:
    """Add the options of the formats of `kind`."""
    for option in fields(ReadOptions):
        is_count = option.metadata.get("is_count", False)
        if option.name in USER_OPTIONS and (help := option_help(option.name, kind)):
            parser.add_argument(
                f"--{option.name.replace('_', '-')}",
                type=_names if option.default == () else positive if is_count else str,
                default=option.default,
                help=help,
            )


def chosen_options(values: Mapping[str, Any]) -> dict[str, Any]:
    """The options that `add_options` added, for `ReadOptions`. values: of all options, by name."""
    return {name: values[name] for name in USER_OPTIONS if name in values}


def read_file(parsed: argparse.Namespace) -> pd.DataFrame:
    """The judgment frame of the command's files. Prints what was read. Raises FormatError."""
    format = format_of(parsed, parsed.files[0])
    frame = read_judgments(parsed.files, format, **chosen_options(vars(parsed)))
    print_report(frame.attrs["report"])
    return frame


def format_of(parsed: argparse.Namespace, path: Path) -> str | FormatRecipe:
    """The format of a file: the recipe or name that the command states, else by its content.

    Raises FormatError, and ValueError for a recipe beside a name.
    """
    if (stated := stated_format(parsed)) is not None:
        return stated
    return detect_judgments(path, options=ReadOptions(columns=getattr(parsed, "columns", ())))


def stated_format(parsed: argparse.Namespace) -> str | FormatRecipe | None:
    """The recipe or name of a format that the command states, if any; raises as `format_of`."""
    if parsed.recipe is not None and parsed.source is not None:
        raise ValueError("--recipe and --from exclude each other")
    if parsed.recipe is not None:
        return RECIPES.get(parsed.recipe) or read_recipe(Path(parsed.recipe))
    source: str | None = parsed.source
    return source


def print_report(report: FileReport) -> None:
    """Print on standard error what was read of a file, and what was not."""
    for line in report.short_lines():
        print(line, file=sys.stderr)


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
