"""`concord spans FILE`: systems and raters of a study of error spans."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, TextIO

from rich.markup import escape

from concord.cli.files import add_format, print_report, stated_format
from concord.cli.tables import console_for, new_table, print_json
from concord.formats import RECIPES, FormatRecipe, detect_any, read_judgments
from concord.formats.span_judgments import marks_of
from concord.formats.spans import SPAN_FORMATS, SpanFile, read_spans
from concord.inference import Estimate
from concord.sentences import counted, decimal, figure_text, interval_notes, interval_text
from concord.spans import SpanReport, Weights, report_spans

SPAN_RECIPES = tuple(one.name for one in RECIPES.values() if one.marks is not None)


def add(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "spans", help="systems and raters of a study of error spans"
    )
    option = parser.add_argument
    option("file", metavar="FILE", type=Path)
    add_format(
        option,
        (*SPAN_FORMATS, "concord", *SPAN_RECIPES),
        "a recipe that fits it, concord, else esa",
    )
    option("--weights", default="", metavar="NAME=NUMBER,...",
           help=f"what errors cost (default: {Weights().signature})")  # fmt: skip
    option("--format", choices=("table", "json"), default="table")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    weights = Weights.parse(parsed.weights)
    file = _read(parsed)
    report = report_spans(file.marks, file.training, weights)
    if parsed.format == "json":
        print_json({**report.to_json(), "file": parsed.file.name, "repeated": file.repeated})
    else:
        _print(report, file, parsed.file.name, sys.stdout)


def _read(parsed: argparse.Namespace) -> SpanFile:
    """The marks of the file, by a recipe or as those of a WMT campaign. Raises FormatError."""
    format = stated_format(parsed)
    if format is None:
        detected = detect_any(parsed.file)
        is_marked = isinstance(detected, FormatRecipe) and detected.marks is not None
        format = detected if is_marked or detected == "concord" else "esa"
    if isinstance(format, str) and format in SPAN_FORMATS:
        return read_spans(parsed.file, format, on_report=print_report)
    read = read_judgments([parsed.file], format)
    print_report(read.report)
    return SpanFile(list(marks_of(read.candidates)), [], 0)


def _print(report: SpanReport, file: SpanFile, name: str, out: TextIO) -> None:
    console = console_for(out)
    table = new_table(
        f"{name}: {counted(report.marks, 'marked answer')}, {counted(report.spans, 'span')}"
    )
    table.add_column("system")
    for header in ("answers", "score", "95% interval", "MQM", "95% interval"):
        table.add_column(header, justify="right")
    for header in ("undecided", "errors"):
        table.add_column(header, justify="right")
    for row in report.systems:
        cells = [f"{row.answers:,}", *_cells(row.score, 1), *_cells(row.mqm, 2)]
        errors, _ = _cells(row.errors, 2)
        table.add_row(escape(row.system), *cells, str(row.undecided or ""), errors)
    console.print(table)
    overs = dict.fromkeys(one.over for row in report.systems for one in (row.score, row.mqm))
    for over in filter(None, overs):
        console.print(f"Intervals of scores are for other {over} of this kind.")
    console.print(f"MQM: {report.signature}; 0 is without errors.", markup=False)
    console.print(
        f"Spans without a position: {report.without_position:,}; without a severity: "
        f"{report.undecided:,}. Earlier marks of the same answer that were replaced: "
        f"{file.repeated:,}.",
        soft_wrap=True,
    )
    agreement = report.agreement
    console.print(
        f"Agreement on {counted(agreement.answers, 'answer')} that several of "
        f"{counted(agreement.raters, 'rater')} "
        f"marked ({counted(agreement.pairs, 'pair')}):"
    )
    figures = {
        "character F1": agreement.f1,
        "with the same severity": agreement.severity_f1,
        "unitising alpha": agreement.alpha,
    }
    for title, figure in figures.items():
        console.print(f"  {title}: {_text(figure)}", markup=False)
    notes = [note for figure in figures.values() for note in interval_notes(figure.to_json())]
    for note in dict.fromkeys(notes):
        console.print(note, soft_wrap=True)
    controls = report.controls
    if controls.compared:
        console.print(
            f"Controls: in {controls.worse:,} of {counted(controls.compared, 'document')}, the "
            "answers made worse on purpose have the lower mean.",
            soft_wrap=True,
        )


def _cells(figure: Estimate, digits: int) -> list[str]:
    value = "" if figure.value is None else decimal(figure.value, digits)
    return [value, interval_text(figure.ci, digits)]


def _text(figure: Estimate) -> str:
    if figure.value is None:
        return f"undefined: {figure.reason}"
    return figure_text(figure.value, figure.ci)
