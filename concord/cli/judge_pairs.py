"""`concord judge-pairs FILE`: ask a language model which of two answers is better, both ways."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from concord.cli.arguments import positive
from concord.cli.both_bad import add_both_bad
from concord.cli.chat import (
    add_server,
    ask_all,
    confirm,
    default_name,
    make_budget,
    make_client,
    print_invalid,
    spent,
    stop_error,
)
from concord.cli.files import print_report
from concord.cli.orders import print_probe
from concord.formats import PAIR_FORMATS, read_pairs
from concord.formats.choices import BOTH_BAD, LEAVE_OUT
from concord.formats.records import PairRecord
from concord.frames import cluster_codes
from concord.inference import Estimate
from concord.judges.chat import JudgeRun, Template
from concord.judges.chat.prompts import ShownPair
from concord.judges.chat.runs import JudgedCandidate
from concord.judges.chat.store import AnswerStore
from concord.judges.orders import (
    AS_GIVEN,
    SWAPPED,
    counted_choices,
    orders_of_labels,
    pair_scores,
    people_answer,
    probe_orders,
)
from concord.meta.judged_pairs import JudgedPairs, compare_choices, share_of_first
from concord.sentences import counted, figure_text

SCALE = 1, 2


def add(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "judge-pairs", help="ask a language model which of two answers is better, in both orders"
    )
    option = parser.add_argument
    option("files", metavar="FILE", nargs="+", type=Path)
    option("--from", dest="source", choices=PAIR_FORMATS, default="concord",
           help="the file's format (default: concord)")  # fmt: skip
    add_server(parser)
    option("--template", default="pairwise", help="pairwise, or a file with {first} and {second}")
    option("--scores", type=Path, help="write a line of scores for each pair, to be submitted")
    option("--limit", type=positive, help="judge only the first N pairs")
    add_both_bad(parser)
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    template = Template.load(parsed.template)
    if not template.is_of_pairs:
        raise ValueError(f"the template '{parsed.template}' is not of pairs")
    file = read_pairs(parsed.files, parsed.source)
    print_report(file.report)
    pairs = file.pairs[: parsed.limit]
    asked = [JudgedCandidate(f"{pair.key} {order}", _shown(pair, order))
             for pair in pairs for order in (AS_GIVEN, SWAPPED)]  # fmt: skip
    client, budget = make_client(parsed, template, SCALE), make_budget(parsed)
    name = default_name(parsed)
    judge = JudgeRun(name, client, template, SCALE, budget, AnswerStore(parsed.out, parsed.reuse))
    confirm([judge], [asked], client, template, ask=not parsed.yes, what="pair, twice")
    stopped = ask_all([judge], [asked], client, parsed)
    labels = judge.labels(asked)
    print(f"{len(labels):,} of {counted(len(asked), 'answer')}; {spent(budget)}")
    print_invalid(judge, asked)
    if stopped:
        raise stop_error(stopped)
    leave_out = parsed.both_bad == LEAVE_OUT
    people = [people_answer(pair, leave_out_both_bad=leave_out) for pair in pairs]
    choices = orders_of_labels(pairs, labels, people)
    scores = [None if leave_out and BOTH_BAD in (one.as_given, one.swapped) else pair_scores(one)
              for one in choices]  # fmt: skip
    if parsed.scores:
        _write(parsed.scores, pairs, scores)
    if any(choice.better is not None for choice in choices):
        probe = probe_orders(choices, leave_out_both_bad=leave_out)
        print_probe(probe, parsed.out.name, parsed.both_bad, sys.stdout)
    _print_accuracy(pairs, scores, leave_out_both_bad=leave_out)


def _shown(pair: PairRecord, order: str) -> ShownPair:
    instance = pair.instance
    texts = (pair.candidate1, pair.candidate2)
    first, second = texts if order == AS_GIVEN else texts[::-1]
    return ShownPair(
        instance.question,
        instance.passage,
        tuple(instance.references),
        first,
        second,
        instance.conversation,
    )


def _print_accuracy(
    pairs: Sequence[PairRecord],
    scores: Sequence[tuple[float, float] | None],
    *,
    leave_out_both_bad: bool,
) -> None:
    """How often the judge chooses as most people do, where they chose."""
    used = [counted_choices(pair, leave_out_both_bad=leave_out_both_bad) for pair in pairs]
    rows = [(pair.instance, share_of_first(one.choice for one in choices), score)
            for pair, choices, score in zip(pairs, used, scores, strict=True)
            if choices]  # fmt: skip
    if not rows:
        return
    instances, people, judged_scores = zip(*rows, strict=True)
    frame = pd.DataFrame({"passage": [one.passage for one in instances],
                          "instance": [one.key for one in instances]})  # fmt: skip
    positions = np.arange(len(rows))
    judged = JudgedPairs(positions, positions, np.array(people), cluster_codes(frame))
    accuracy = compare_choices(judged, np.array([one or (np.nan, np.nan) for one in judged_scores]))
    decided = int(judged.is_decided.sum())
    print(
        f"{counted(len(rows), 'pair')} that people judged, {decided:,} with a majority; "
        f"the judge agrees with it in {_text(accuracy.accuracy)}, and with ties in "
        f"{_text(accuracy.with_ties)} of all."
    )


def _text(figure: Estimate) -> str:
    if figure.value is None:
        return f"an undefined share ({figure.reason})"
    return figure_text(figure.value, figure.ci)


def _write(
    path: Path, pairs: Sequence[PairRecord], scores: Sequence[tuple[float, float] | None]
) -> None:
    """Lines of `submit_scores`; a pair without scores has none, and is named."""
    left_out = []
    with path.open("w", encoding="utf-8") as file:
        for pair, both in zip(pairs, scores, strict=True):
            if both is None:
                left_out.append(pair.key)
                continue
            row = {"id": pair.key, "score1": both[0], "score2": both[1]}
            file.write(json.dumps(row, ensure_ascii=False) + "\n")
    if left_out:
        print(
            f"{counted(len(left_out), 'pair has', 'pairs have')} no line for want of two valid "
            "answers, such as "
            f"{left_out[0]}.",
            file=sys.stderr,
        )
