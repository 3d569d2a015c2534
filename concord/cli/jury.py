"""`concord jury HUMAN JUDGES [JUDGES...]`, or `FILE --judge A --judge B`: several judges as one."""

from __future__ import annotations

import json
import sys
from argparse import ArgumentTypeError
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from concord.arguments import amount
from concord.cli.arguments import draws_option, seed_option
from concord.cli.command import CommandResult, argument, command, option
from concord.cli.judged_labels import JudgedLabelOptions, LabelInputReader
from concord.formats.numbers import read_number
from concord.formats.score_writer import replace_file, write_scores, write_signatures
from concord.judges import HumanLabels, jury_scores
from concord.judges.jury import MAX_JUDGES, jury_report
from concord.judges.jury_rules import JuryRule
from concord.sentences import counted


@dataclass(frozen=True, kw_only=True)
class JuryInputs:
    """The labels of people and of judges, and what is made of the judges."""

    files: Sequence[Path] = argument(
        "FILE",
        "people's file and those of judges, or one FILE with --judge: the files of concord "
        "alt-test",
    )
    labels: JudgedLabelOptions
    costs: Sequence[str] = option(
        "what one answer of a judge costs (default: 1); can be repeated", (),
        flag="--cost", metavar="NAME=AMOUNT", repeated=True,
    )  # fmt: skip
    seed: int = seed_option("random seed, of the halves too")
    draws: int = draws_option()
    out: Path | None = option(
        "write the jury's verdicts by --rule: scores, or words as labels", metavar="FILE"
    )
    rule: JuryRule = option(
        "of the verdicts in --out (default: weighted, cross-fitted)", "weighted"
    )
    name: str | None = option("name of the jury in --out (default: jury-RULE)")


@command("several judges as one: what does a jury gain over the best single judge?", plot=True)
def jury(inputs: JuryInputs) -> CommandResult:
    """The jury beside the best single judge."""
    labels = LabelInputReader(inputs.labels).read(inputs.files, max_judge_files=MAX_JUDGES)
    people = labels.human_labels(inputs.labels, labels.judges.items())
    answers = people.table_of(list(labels.judges.values()))
    judges = dict(zip(labels.judges, answers, strict=True))
    report = jury_report(
        judges,
        people.verdicts,
        people.clusters,
        graded=inputs.labels.graded,
        costs=_costs(inputs.costs, list(judges)),
        seed=inputs.seed,
        draws=inputs.draws,
    )
    if inputs.out is not None:
        categories = people.names_of(list(labels.judges.values()))
        _write_verdicts(inputs, inputs.out, people, judges, categories)
    return CommandResult(results={inputs.files[0].name: report})


def _write_verdicts(
    inputs: JuryInputs,
    out: Path,
    people: HumanLabels,
    judges: dict[str, NDArray[np.float64]],
    categories: list[str],
) -> None:
    """Write the jury's verdicts as a file of scores, or of labels where categories are words."""
    jury = jury_scores(
        judges, people.verdicts, people.clusters,
        rule=inputs.rule, graded=inputs.labels.graded, seed=inputs.seed,
    )  # fmt: skip
    name, has_verdict = inputs.name or f"jury-{inputs.rule}", np.isfinite(jury.values)
    numbers = [read_number(one) for one in categories]
    try:
        if any(isinstance(number, str) for number in numbers):
            words = {
                item: categories[int(code)]
                for item, code in zip(people.items, jury.values, strict=True)
                if np.isfinite(code)
            }
            replace_file(out, [json.dumps({name: words}, ensure_ascii=False, indent=1)])
            write_signatures(out, {name: jury.signature})
        else:
            scores = [
                None if not known else float(numbers[int(value)]) if categories else value
                for value, known in zip(jury.values.tolist(), has_verdict, strict=True)
            ]
            write_scores(out, people.items, {name: scores}, {name: jury.signature})
    except OSError as error:
        raise ValueError(f"{out}: cannot be written: {error.strerror}") from error
    ties = f", {jury.ties:,} drawn among tied labels" if jury.ties else ""
    written = f"{counted(int(has_verdict.sum()), 'verdict')} of {name}{ties}"
    print(f"{out}: {written}. {jury.signature}", file=sys.stderr)


def _costs(texts: Sequence[str], judges: Sequence[str]) -> dict[str, float]:
    """The costs of texts such as "gpt=0.2". Raises ValueError for another text or judge."""
    costs = {}
    for text in texts:
        name, _, value = text.rpartition("=")
        if name not in judges:
            known = ", ".join(judges)
            raise ValueError(f"--cost {text}: write NAME=AMOUNT with one of the judges {known}")
        try:
            costs[name] = amount(value)
        except ArgumentTypeError as error:
            raise ValueError(f"--cost {text}: {error}") from error
    return costs
