"""`concord orders FILE`: does a judge prefer the answer that is shown first?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from concord.cli.arguments import both_bad_option, judges_option
from concord.cli.command import CommandResult, argument, command, option
from concord.cli.files import print_report
from concord.formats import ReadOptions, read_pairs
from concord.formats.both_orders import BOTH_ORDERS_FORMATS, BothOrders, read_both_orders
from concord.formats.choices import HOW_COUNTED, LEAVE_OUT, ChoiceAnswer
from concord.formats.errors import quote
from concord.formats.records import PairRecord
from concord.formats.scores import read_scores
from concord.judges.orders import (
    AS_GIVEN,
    SWAPPED,
    orders_of_labels,
    orders_of_rater,
    people_answer,
    probe_orders,
)
from concord.sentences import counted

PAIRS = "concord-pairs"


@dataclass(frozen=True, kw_only=True)
class OrdersInputs:
    """A file of choices in both orders, and whose choices."""

    file: Path = argument("FILE")
    source: str = option(
        "the file's format; concord-pairs: people's choices, and a judge's by --judge or --answers "
        "(default: concord)", "concord", flag="--from", choices=(*BOTH_ORDERS_FORMATS, PAIRS),
    )  # fmt: skip
    judges: Sequence[str] = judges_option()
    answers: Path | None = option("the output of concord judge-pairs on these pairs")
    both_bad: str = both_bad_option()

    def read(self) -> dict[str, list[BothOrders]]:
        """The choices of each judge by its name, which is empty where the file has one judge."""
        needs_pairs = bool(self.judges or self.answers)
        if not needs_pairs and self.source != PAIRS:
            return {"": read_both_orders(self.file, self.source, on_report=print_report)}
        if not needs_pairs:
            raise ValueError(
                "whose choices? Name a judge of the file with --judge, or give --answers"
            )
        file = read_pairs([self.file], "concord", ReadOptions(both_orders=True))
        print_report(file.report)
        leave_out = self.both_bad == LEAVE_OUT
        people = [
            people_answer(pair, without=self.judges, leave_out_both_bad=leave_out)
            for pair in file.pairs
        ]
        judges = {name: orders_of_rater(file.pairs, name, people) for name in self.judges}
        if self.answers:
            judges |= _of_answers(self.answers, file.pairs, people)
        return judges


@command("position bias: a judge's choices with two answers in both orders")
def orders(inputs: OrdersInputs) -> CommandResult:
    """The preference of each judge for a side."""
    file, both_bad = inputs.file.name, inputs.both_bad
    probes = {
        judge: probe_orders(pairs, leave_out_both_bad=both_bad == LEAVE_OUT)
        for judge, pairs in inputs.read().items()
    }
    documents = {
        judge: {"file": file, "both_bad": both_bad, **probe.to_json()}
        for judge, probe in probes.items()
    }
    return CommandResult(
        results={file + (f", {judge}" if judge else ""): one for judge, one in probes.items()},
        document=documents[""] if list(documents) == [""] else {"judges": documents},
        closing=[how_counted(both_bad)],
    )


def how_counted(both_bad: str) -> str:
    """What ties count."""
    return (
        "A tie is right where people's choice is one, and counts for neither side; "
        f"{HOW_COUNTED[both_bad]}."
    )


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
