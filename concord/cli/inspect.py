"""`concord inspect FILE`: what is understood of a file."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, TextIO

from concord.cli.files import add_format, add_options, chosen_options, stated_format
from concord.cli.tables import console_for, new_table, print_json
from concord.documents.inspection import Inspection
from concord.formats import ALL_FORMATS, FormatError, ReadOptions, find_recipes
from concord.formats.inspection import inspect_file
from concord.formats.report import MAX_SHOWN, missing_lines

MAX_TEXT = 200


def add(commands: Any) -> None:
    """Add the command `inspect` to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "inspect", help="what is understood of a file: its format, columns, counts, first records"
    )
    option = parser.add_argument
    option("file", metavar="FILE", type=Path)
    add_format(option, ALL_FORMATS)
    add_options(parser)
    option("--format", choices=("table", "json"), default="table")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Print what is understood of a file; where that is nothing, which recipes nearly fit."""
    options = ReadOptions(**chosen_options(vars(parsed)))
    try:
        inspection = inspect_file(parsed.file, stated_format(parsed), options)
    except FormatError:
        for fit in find_recipes(parsed.file) if parsed.file.is_file() else ():
            state = "fits" if fit.is_complete else f"nearly fits; the file {fit.reason}"
            print(f"The recipe {fit.recipe.name} {state}.", file=sys.stderr)
        raise
    if parsed.format == "json":
        print_json(inspection)
    else:
        _print(inspection, sys.stdout)


def _print(inspection: Inspection, out: TextIO) -> None:
    console = console_for(out)

    def say(text: str) -> None:
        console.print(text, markup=False, soft_wrap=True)

    say(f"{inspection['file']}: {inspection['kind']}, read as {inspection['recipe']}")
    if others := [name for name in inspection["fits"] if name != inspection["recipe"]]:
        say(f"Also fits: {', '.join(others)}.")
    for name, reason in inspection["near"].items():
        say(f"Nearly fits: {name}; the file {reason}.")
    counts = new_table("")
    counts.add_column("count")
    counts.add_column("", justify="right")
    for noun, count in inspection["counts"].items():
        if noun != "pairs" or inspection["kind"] == "pairs":
            counts.add_row(noun, f"{count:,}")
    console.print(counts)
    columns = new_table("")
    for heading in ("column", "taken for"):
        columns.add_column(heading, overflow="fold")
    for name, meaning in inspection["columns"].items():
        columns.add_row(_cell(name), _cell(meaning))
    ignored = inspection["ignored"]
    for name in ignored[:MAX_SHOWN]:
        columns.add_row(_cell(name), "ignored")
    if (hidden := len(ignored) - MAX_SHOWN + inspection.get("ignored_more", 0)) > 0:
        columns.add_row(f"{hidden:,} more", "ignored")
    console.print(columns)
    for reason, count in inspection["left_out"].items():
        say(f"Left out: {count:,}, {reason}.")
    for name, values in inspection["values"].items():
        of = f" of {name}" if name else ""
        say(f"Values found{of}: {', '.join(f'{value:g}' for value in values)}.")
    missing = missing_lines(inspection["counts"]["missing"], inspection["missing_words"])
    for note in (*missing, *inspection["notes"]):
        say(note)
    for number, record in enumerate(inspection["first"], start=1):
        say(f"\n{inspection['kind'].removesuffix('s')} {number}")
        for name, value in record.items():
            if value not in ("", None, []):
                say(f"  {name}: {_short(value)}")


def _cell(text: str) -> Any:
    from rich.text import Text

    return Text(text)


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}..."
