"""`concord orders FILE`: does a judge prefer the answer that is shown first?"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any, TextIO

from concord.cli.files import print_report
from concord.cli.tables import console_for, new_table, print_json
from concord.formats.both_orders import BOTH_ORDERS_FORMATS, read_both_orders
from concord.judges.orders import OrderProbe, probe_orders

FIGURES = {
    "correct_as_given": "right, order as given",
    "correct_swapped": "right, swapped",
    "correct_average": "right, mean of both",
    "correct_both": "right in both orders",
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
    option("--format", choices=("table", "json"), default="table")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    probe = probe_orders(read_both_orders(parsed.file, parsed.source, on_report=print_report))
    if parsed.format == "json":
        figures = {name: getattr(probe, name).to_json() for name in FIGURES}
        document = {"file": parsed.file.name, "pairs": probe.pairs, "invalid": probe.invalid}
        print_json(document | figures | {"verdict": probe.verdict})
    else:
        print_probe(probe, parsed.file.name, sys.stdout)


def print_probe(probe: OrderProbe, name: str, out: TextIO) -> None:
    """The probe as a table, and what it says."""
    console = console_for(out)
    title = f"{name}: {probe.pairs:,} pairs in both orders, {probe.invalid:,} invalid answers"
    table = new_table(title)
    table.add_column("")
    table.add_column("value", justify="right")
    table.add_column("95% interval", justify="right")
    for field, label in FIGURES.items():
        figure = getattr(probe, field)
        ends = figure.ci
        table.add_row(
            label,
            "undefined" if figure.value is None else f"{figure.value:.3f}",
            "" if ends is None else f"{ends[0]:.3f} to {ends[1]:.3f}",
        )
    console.print(table)
    console.print(f"The judge: {probe.verdict}.")
