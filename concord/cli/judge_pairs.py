"""`concord judge-pairs FILE`: ask a language model which of two answers is better, both ways."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from concord.arguments import positive
from concord.cli.arguments import both_bad_option
from concord.cli.chat import ServerOptions, ask_all, confirm, print_invalid, spent, stop_error
from concord.cli.command import argument, command, option
from concord.cli.files import print_report
from concord.cli.orders import how_counted
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
from concord.tables.terminal import console_for, print_lines, print_result

SCALE = 1, 2


@dataclass(frozen=True, kw_only=True)
class JudgePairsInputs:
    """Files of pairs, a model, and what it is asked."""

    files: Sequence[Path] = argument("FILE")
    source: str = option("the file's format (default: concord)", "concord", flag="--from",
                         choices=PAIR_FORMATS)  # fmt: skip
    server: ServerOptions
    template: str = option("pairwise, or a file with {first} and {second}", "pairwise")
    scores: Path | None = option("write a line of scores for each pair, to be submitted")
    limit: int | None = option("judge only the first N pairs", parse=positive)
    both_bad: str = both_bad_option()


@command("ask a language model which of two answers is better, in both orders", formats=())
def judge_pairs(inputs: JudgePairsInputs) -> None:
    """Ask what is missing, and say what the judge prefers and how far it agrees with people."""
    server = inputs.server
    template = Template.load(inputs.template)
    if not template.is_of_pairs:
        raise ValueError(f"the template '{inputs.template}' is not of pairs")
    file = read_pairs(inputs.files, inputs.source)
    print_report(file.report)
    pairs = file.pairs[: inputs.limit]
    asked = [JudgedCandidate(f"{pair.key} {order}", _shown(pair, order))
             for pair in pairs for order in (AS_GIVEN, SWAPPED)]  # fmt: skip
    client, budget, name = server.client(template, SCALE), server.budget(), server.score_name
    judge = JudgeRun(name, client, template, SCALE, budget, AnswerStore(server.out, server.reuse))
    confirm([judge], [asked], client, template, ask=not server.yes, what="pair, twice")
    stopped = ask_all([judge], [asked], client, server)
    labels = judge.labels(asked)
    print(f"{len(labels):,} of {counted(len(asked), 'answer')}; {spent(budget)}")
    print_invalid(judge, asked)
    if stopped:
        raise stop_error(stopped)
    leave_out = inputs.both_bad == LEAVE_OUT
    people = [people_answer(pair, leave_out_both_bad=leave_out) for pair in pairs]
    choices = orders_of_labels(pairs, labels, people)
    scores = [None if leave_out and BOTH_BAD in (one.as_given, one.swapped) else pair_scores(one)
              for one in choices]  # fmt: skip
    if inputs.scores:
        _write(inputs.scores, pairs, scores)
    if any(choice.better is not None for choice in choices):
        probe = probe_orders(choices, leave_out_both_bad=leave_out)
        print_result(server.out.name, probe, sys.stdout)
        print_lines([how_counted(inputs.both_bad)], console_for(sys.stdout))
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
