"""`concord inspect FILE`: what is understood of a file."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from concord.cli.command import CommandResult, argument, command
from concord.cli.files import AnyFormat
from concord.documents.inspection import Inspection
from concord.formats import FormatError, find_recipes
from concord.formats.inspection import inspect_file
from concord.formats.report import MAX_SHOWN, missing_lines
from concord.tables import ResultTable, count, text
from concord.tables.result import Result

MAX_TEXT = 200


@dataclass(frozen=True, kw_only=True)
class InspectInputs:
    """A file and its format."""

    file: Path = argument("FILE")
    format: AnyFormat


@command("what is understood of a file: its format, columns, counts, first records")
def inspect(inputs: InspectInputs) -> CommandResult:
    """What is understood of a file; where that is nothing, which recipes nearly fit."""
    try:
        inspection = inspect_file(inputs.file, inputs.format.stated, inputs.format.options)
    except FormatError:
        for fit in find_recipes(inputs.file) if inputs.file.is_file() else ():
            state = "fits" if fit.is_complete else f"nearly fits; the file {fit.reason}"
            print(f"The recipe {fit.recipe.name} {state}.", file=sys.stderr)
        raise
    return CommandResult(
        results={inspection["file"]: InspectedFile(inspection)}, document=inspection
    )


@dataclass(frozen=True)
class InspectedFile(Result):
    """What is understood of a file, as tables of counts and columns and its first records."""

    inspection: Inspection

    def tables(self) -> Iterable[ResultTable]:
        inspection, ignored = self.inspection, self.inspection["ignored"]
        counts = [(noun, number) for noun, number in inspection["counts"].items()
                  if noun != "pairs" or inspection["kind"] == "pairs"]  # fmt: skip
        title = f"{inspection['kind']}, read as {inspection['recipe']}"
        yield ResultTable(title, [text("count", "0"), count("", "1")], counts)
        columns = [*inspection["columns"].items()]
        columns += [(name, "ignored") for name in ignored[:MAX_SHOWN]]
        if (hidden := len(ignored) - MAX_SHOWN + inspection.get("ignored_more", 0)) > 0:
            columns.append((f"{hidden:,} more", "ignored"))
        yield ResultTable("", [text("column", "0"), text("taken for", "1")], columns)

    def sentences(self) -> Iterable[str]:
        inspection = self.inspection
        if others := [name for name in inspection["fits"] if name != inspection["recipe"]]:
            yield f"Also fits: {', '.join(others)}."
        for name, reason in inspection["near"].items():
            yield f"Nearly fits: {name}; the file {reason}."
        for reason, number in inspection["left_out"].items():
            yield f"Left out: {number:,}, {reason}."
        for name, values in inspection["values"].items():
            of = f" of {name}" if name else ""
            yield f"Values found{of}: {', '.join(f'{value:g}' for value in values)}."
        yield from missing_lines(inspection["counts"]["missing"], inspection["missing_words"])
        yield from inspection["notes"]
        for number, record in enumerate(inspection["first"], start=1):
            yield f"\n{inspection['kind'].removesuffix('s')} {number}"
            for name, value in record.items():
                if value not in ("", None, []):
                    yield f"  {name}: {_short(value)}"


def _short(value: object) -> str:
    text = " ".join(str(value).split())
    return text if len(text) <= MAX_TEXT else f"{text[:MAX_TEXT]}..."
