"""`concord orders FILE`: does a judge prefer the answer that is shown first?"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, TextIO

from concord.cli.both_bad import HOW_COUNTED, LEAVE_OUT, add_both_bad
from concord.cli.files import print_report
from concord.cli.tables import console_for, new_table, print_json
from concord.formats.both_orders import BOTH_ORDERS_FORMATS, read_both_orders
from concord.judges.orders import OrderProbe, probe_orders
from concord.sentences import counted, decimal

FIGURES = {
    "correct_as_given": "right, order as given",
    "correct_swapped": "right, swapped",
    "correct_average": "right, mean of both",
    "correct_both": "right in both orders",
    "correct_together": "right, both orders together",
    "equal": "same choice in both orders",
    "bias": "for the answer shown first, less for the second",
    "kappa": "kappa of the two orders",
}


def add(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "orders", help="position bias: a judge's choices with two answers in both orders"
    )
    option = parser.add_argument
    option("file", metavar="FILE", type=Path)
    option("--from", dest="source", choices=BOTH_ORDERS_FORMATS, default="concord",
           help="the file's format (default: concord)")  # fmt: skip
    add_both_bad(parser)
    option("--format", choices=("table", "json"), default="table")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    pairs = read_both_orders(parsed.file, parsed.source, on_report=print_report)
    probe = probe_orders(pairs, leave_out_both_bad=parsed.both_bad == LEAVE_OUT)
    if parsed.format == "json":
        figures = {name: getattr(probe, name).to_json() for name in FIGURES}
        document = {
            "file": parsed.file.name,
            "pairs": probe.pairs,
            "invalid": probe.invalid,
            "valid_pairs": probe.valid_pairs,
            "left_out": probe.left_out,
            "answers": {"judge": probe.judge.to_json(), "people": probe.people.to_json()},
            "both_bad": parsed.both_bad,
        }
        print_json(document | figures | {"verdict": probe.verdict})
    else:
        print_probe(probe, parsed.file.name, parsed.both_bad, sys.stdout)


def print_probe(probe: OrderProbe, name: str, both_bad: str, out: TextIO) -> None:
    """The probe as a table, and what it says."""
    console = console_for(out)
    title = (
        f"{name}: {counted(probe.pairs, 'pair')} in both orders, "
        f"{counted(probe.invalid, 'invalid answer')}"
    )
    table = new_table(title)
    table.add_column("")
    table.add_column("value", justify="right")
    table.add_column("95% interval", justify="right")
    for field, label in FIGURES.items():
        figure = getattr(probe, field)
        ends = figure.ci
        table.add_row(
            label,
            decimal(figure.value),
            "" if ends is None else f"{decimal(ends[0])} to {decimal(ends[1])}",
        )
    console.print(table)
    if probe.invalid:
        console.print(
            f"Invalid answers: {probe.invalid:,} of {2 * probe.pairs:,}. An invalid answer is "
            "wrong, its pair does not have the same choice, and it counts for neither side. Kappa "
            f"is that of the {counted(probe.valid_pairs, 'pair')} with two valid answers.",
            soft_wrap=True,
        )
    console.print(
        f"The judge: {probe.judge}. People: {probe.people}. A tie is right where people's choice "
        f"is one, and counts for neither side; {HOW_COUNTED[both_bad]}. "
        f"{counted(probe.left_out, 'pair')} left out, also those without people's choice.",
        soft_wrap=True,
    )
    console.print(f"The judge: {probe.verdict}.")
