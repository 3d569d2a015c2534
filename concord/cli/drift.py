"""`concord drift BASE NOW`: did a judge change since it judged the same items before?"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from rich.markup import escape

from concord.cli.arguments import positive
from concord.cli.judged_labels import LabelInputReader, LabelInputs, add_label_options
from concord.cli.tables import console_for, figure_cells, new_table, print_json
from concord.formats.errors import quote_names
from concord.formats.judged_files import kind_of_file
from concord.formats.labels import AnnotatorLabels, Label
from concord.judges.drift import DriftReport, JudgeDrift, Rejudged, drift_report
from concord.sentences import counted, decimal, interval_text


def add(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "drift", help="the same items judged again: did the judge change?"
    )
    option = parser.add_argument
    option("base", metavar="BASE", type=Path,
           help="the judge's earlier labels: a file of concord alt-test; with --judge, the file of "
                "people's labels too")  # fmt: skip
    option("now", metavar="NOW", type=Path, help="its labels of the same items now")
    option("--people", metavar="FILE", type=Path,
           help="people's labels of these items, to test whether agreement fell")  # fmt: skip
    add_label_options(parser)
    option("--looks", type=positive, default=1,
           help="how often this base is compared in all, such as 365 for every night of a year: "
                "the 5%% of false alarms are of all looks together (default: 1)")  # fmt: skip
    option("--format", choices=("table", "json"), default="table")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    inputs, now = _read(parsed)
    judges = _paired(inputs.judges, now)
    named = [(name, one) for name, pair in judges.items() for one in pair]
    has_people = bool(inputs.people)
    # Without people, the items are those of the base.
    inputs.people = inputs.people or inputs.judges
    labels = inputs.human_labels(parsed, named if has_people else ())
    flat = [one for _, one in named]
    table = labels.table_of(flat)
    report = drift_report(
        {name: Rejudged(*table[2 * k : 2 * k + 2]) for k, name in enumerate(judges)},
        labels.verdicts if has_people else np.full(len(labels.items), np.nan),
        labels.clusters,
        graded=parsed.graded,
        looks=parsed.looks,
        categories=labels.names_of(flat),
    )
    if parsed.format == "json":
        print_json(report)
    else:
        _print(report, f"{parsed.base.name} and {parsed.now.name}", sys.stdout)


def _read(parsed: argparse.Namespace) -> tuple[LabelInputs, AnnotatorLabels]:
    """People's labels with the judges of the base, and the judges now."""

    def reader(*files: Path) -> LabelInputReader:
        return LabelInputReader(argparse.Namespace(**{**vars(parsed), "files": list(files)}))

    if parsed.people is not None:
        base, now = (reader(parsed.people, one).read() for one in (parsed.base, parsed.now))
        return base, now.judges
    has_people = parsed.judges and kind_of_file(parsed.base) != "answers"
    one = reader(parsed.base)
    inputs = one.read() if has_people else LabelInputs({}, one.read_judges(parsed.base))
    return inputs, one.read_judges(parsed.now)


def _paired(
    base: AnnotatorLabels, now: AnnotatorLabels
) -> dict[str, tuple[dict[str, Label], dict[str, Label]]]:
    """(labels of the base, labels now) by judge: those of one name, or the only one of each file.
    Raises ValueError where there is none."""
    if both := [name for name in base if name in now]:
        for name in (base.keys() | now.keys()) - set(both):
            print(f"In one of the files only: the judge {quote_names([name])}.", file=sys.stderr)
        return {name: (base[name], now[name]) for name in both}
    if len(base) == len(now) == 1:
        ((_, before),), ((name, after),) = base.items(), now.items()
        return {name: (before, after)}
    raise ValueError(
        f"no judge is in both files: the base has {quote_names(base)}, and now there is "
        f"{quote_names(now)}"
    )


def _print(report: DriftReport, name: str, out: TextIO) -> None:
    console = console_for(out)
    table = new_table(f"{name}: the same items judged again")
    table.add_column("judge")
    agreement = "distance from people" if report.graded else "agreement"
    names = ["items", "passages", "changed", "95% interval"]
    names += ["mean change", "95% interval"] if report.graded else []
    names += [f"{agreement}, base", "now", "fall", "bounds", "p"]
    for header in names:
        table.add_column(header, justify="right")
    for judge, row in report.judges.items():
        table.add_row(escape(judge), *_cells(row))
    console.print(table)
    for judge, row in report.judges.items():
        for line in _lines(row, report):
            console.print(f"{judge}: {line}", markup=False, soft_wrap=True)
    looks = "this look" if report.looks == 1 else f"all {report.looks:,} looks together"
    console.print(
        f"Bounds of the fall are one-sided, and hold with 95% confidence at {looks}. "
        f"Agreement fell where p is below {report.level:.2g}.",
        soft_wrap=True,
    )
    console.print(report.signature, markup=False, soft_wrap=True)


def _cells(row: JudgeDrift) -> list[str]:
    fall = row.fall
    cells = [f"{row.items:,}", f"{row.passages:,}", *figure_cells(row.changed)]
    if row.shift is not None:
        cells += figure_cells(row.shift, "+")
    cells += [decimal(row.base.value), decimal(row.now.value)]
    low, high = fall.low, fall.high
    bounds = "" if low is None or high is None else interval_text((low, high), 3, "+")
    p = "" if fall.p is None else f"{fall.p:.2g}"
    return [*cells, decimal(fall.value, 3, "+"), bounds, p]


def _lines(row: JudgeDrift, report: DriftReport) -> list[str]:
    """The verdict in sentences, and the most frequent changes."""
    fall, lines = row.fall, []
    if fall.p is None or fall.detectable is None:
        lines.append(f"not tested: {fall.reason}.")
    else:
        lines.append(
            f"{row.verdict}. A fall of {decimal(fall.detectable)} or more is seen with a "
            "probability of 80%."
        )
    if any(row.missing):
        before, now = row.missing
        lines.append(f"left out: {counted(before, 'item')} without an earlier answer, {now:,} now.")
    if row.labels:
        changes = (f"{one.before} to {one.after} ({one.items:,})" for one in row.labels)
        lines.append(f"changed: {', '.join(changes)}.")
    return lines
