"""`concord orders FILE`: does a judge prefer the answer that is shown first?"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO

from concord.cli.both_bad import add_both_bad
from concord.cli.files import print_report
from concord.cli.judged import add_judges
from concord.cli.tables import console_for, new_table, print_json
from concord.formats import ReadOptions, read_pairs
from concord.formats.both_orders import BOTH_ORDERS_FORMATS, BothOrders, read_both_orders
from concord.formats.choices import HOW_COUNTED, LEAVE_OUT, ChoiceAnswer
from concord.formats.errors import quote
from concord.formats.records import PairRecord
from concord.formats.scores import read_scores
from concord.judges.orders import (
    AS_GIVEN,
    SWAPPED,
    OrderProbe,
    orders_of_labels,
    orders_of_rater,
    people_answer,
    probe_orders,
)
from concord.sentences import counted, decimal, interval_text

PAIRS = "concord-pairs"
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
    option("--from", dest="source", choices=(*BOTH_ORDERS_FORMATS, PAIRS), default="concord",
           help="the file's format; concord-pairs: people's choices, and a judge's by --judge or "
                "--answers (default: concord)")  # fmt: skip
    add_judges(parser)
    option("--answers", type=Path, help="the output of concord judge-pairs on these pairs")
    add_both_bad(parser)
    option("--format", choices=("table", "json"), default="table")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    leave_out = parsed.both_bad == LEAVE_OUT
    probes = {
        judge: probe_orders(pairs, leave_out_both_bad=leave_out)
        for judge, pairs in _read(parsed, leave_out_both_bad=leave_out).items()
    }
    if parsed.format == "json":
        documents = {
            judge: _to_json(probe, parsed.file.name, parsed.both_bad)
            for judge, probe in probes.items()
        }
        is_one = list(documents) == [""]
        print_json(documents[""] if is_one else {"judges": documents})
        return
    for judge, probe in probes.items():
        name = parsed.file.name + (f", {judge}" if judge else "")
        print_probe(probe, name, parsed.both_bad, sys.stdout)


def _read(parsed: argparse.Namespace, *, leave_out_both_bad: bool) -> dict[str, list[BothOrders]]:
    """The choices of each judge by its name, which is empty where the file has one judge only."""
    needs_pairs = bool(parsed.judges or parsed.answers)
    if not needs_pairs and parsed.source != PAIRS:
        return {"": read_both_orders(parsed.file, parsed.source, on_report=print_report)}
    if not needs_pairs:
        raise ValueError("whose choices? Name a judge of the file with --judge, or give --answers")
    file = read_pairs([parsed.file], "concord", ReadOptions(both_orders=True))
    print_report(file.report)
    people = [
        people_answer(pair, without=parsed.judges, leave_out_both_bad=leave_out_both_bad)
        for pair in file.pairs
    ]
    judges = {name: orders_of_rater(file.pairs, name, people) for name in parsed.judges}
    if parsed.answers:
        judges |= _of_answers(parsed.answers, file.pairs, people)
    return judges


def _of_answers(
    path: Path, pairs: Sequence[PairRecord], people: Sequence[ChoiceAnswer | None]
) -> dict[str, list[BothOrders]]:
    """The choices of a judge in the output of `concord judge-pairs`, which lacks no pair."""
    table = read_scores(path, on_report=print_report, labels=True)
    asked = {f"{pair.key} {order}" for pair in pairs for order in (AS_GIVEN, SWAPPED)}
    if missing := sorted(asked - set(table.index)):
        number = counted(len(missing), "answer")
        raise ValueError(f"{path} lacks {number} about these pairs, such as {quote(missing[0])}")
    return {
        str(name): orders_of_labels(
            pairs, {str(key): int(label) for key, label in table[name].dropna().items()}, people
        )
        for name in table.columns
    }


def _to_json(probe: OrderProbe, file: str, both_bad: str) -> dict[str, Any]:
    document = {
        "file": file,
        "pairs": probe.pairs,
        "invalid": probe.invalid,
        "valid_pairs": probe.valid_pairs,
        "left_out": probe.left_out,
        "answers": {"judge": probe.judge.to_json(), "people": probe.people.to_json()},
        "both_bad": both_bad,
    }
    figures = {name: getattr(probe, name).to_json() for name in FIGURES}
    return document | figures | {"verdict": probe.verdict}


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
        table.add_row(label, decimal(figure.value), interval_text(figure.ci))
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
    p = "" if probe.bias.p is None else f" (p = {probe.bias.p:.2g}, signs flipped by question)"
    console.print(f"The judge: {probe.verdict}{p}.")
