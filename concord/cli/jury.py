"""`concord jury HUMAN JUDGES [JUDGES...]`, or `FILE --judge A --judge B`: several judges as one."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, TextIO, get_args

import numpy as np
from numpy.typing import NDArray
from rich.markup import escape

from concord.arguments import amount
from concord.cli.arguments import natural, positive
from concord.cli.judged_labels import LabelInputReader, add_label_options
from concord.cli.plots import add_plot, write_plot
from concord.cli.tables import console_for, figure_cells, new_table, print_json
from concord.formats.numbers import read_number
from concord.formats.score_writer import replace_file, write_scores, write_signatures
from concord.inference import Estimate
from concord.judges import HumanLabels, jury_scores
from concord.judges.jury import JURY_STATISTICS, MAX_JUDGES, JuryReport, jury_report
from concord.judges.jury_rules import JuryRule
from concord.sentences import counted, decimal


def add(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "jury", help="several judges as one: what does a jury gain over the best single judge?"
    )
    option = parser.add_argument
    option("files", metavar="FILE", nargs="+", type=Path,
           help="people's file and those of judges, or one FILE with --judge: the files of "
                "concord alt-test")  # fmt: skip
    add_label_options(parser)
    option("--cost", dest="costs", metavar="NAME=AMOUNT", action="append", default=[],
           help="what one answer of a judge costs (default: 1); can be repeated")  # fmt: skip
    option("--seed", type=natural, default=0, help="random seed, of the halves too")
    option("--draws", type=positive, default=1000, help="number of bootstrap resamples")
    option("--out", type=Path, metavar="FILE",
           help="write the jury's verdicts by --rule: scores, or words as labels")  # fmt: skip
    option("--rule", choices=get_args(JuryRule), default="weighted",
           help="of the verdicts in --out (default: weighted, cross-fitted)")  # fmt: skip
    option("--name", help="name of the jury in --out (default: jury-RULE)")
    option("--format", choices=("table", "json"), default="table")
    add_plot(parser)
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    inputs = LabelInputReader(parsed).read(max_judge_files=MAX_JUDGES)
    people = inputs.human_labels(parsed, inputs.judges.items())
    answers = people.table_of(list(inputs.judges.values()))
    judges = dict(zip(inputs.judges, answers, strict=True))
    report = jury_report(
        judges,
        people.verdicts,
        people.clusters,
        graded=parsed.graded,
        costs=_costs(parsed.costs, list(judges)),
        seed=parsed.seed,
        draws=parsed.draws,
    )
    if parsed.out is not None:
        _write_verdicts(parsed, people, judges, people.names_of(list(inputs.judges.values())))
    name = parsed.files[0].name
    write_plot(parsed, name, report.forest())
    if parsed.format == "json":
        print_json(report)
    else:
        _print(report, name, sys.stdout)


def _write_verdicts(
    parsed: argparse.Namespace,
    people: HumanLabels,
    judges: dict[str, NDArray[np.float64]],
    categories: list[str],
) -> None:
    """Write the jury's verdicts as a file of scores, or of labels where categories are words."""
    jury = jury_scores(
        judges, people.verdicts, people.clusters,
        rule=parsed.rule, graded=parsed.graded, seed=parsed.seed,
    )  # fmt: skip
    name, has_verdict = parsed.name or f"jury-{parsed.rule}", np.isfinite(jury.values)
    numbers = [read_number(one) for one in categories]
    try:
        if any(isinstance(number, str) for number in numbers):
            words = {
                item: categories[int(code)]
                for item, code in zip(people.items, jury.values, strict=True)
                if np.isfinite(code)
            }
            replace_file(parsed.out, [json.dumps({name: words}, ensure_ascii=False, indent=1)])
            write_signatures(parsed.out, {name: jury.signature})
        else:
            scores = [
                None if not known else float(numbers[int(value)]) if categories else value
                for value, known in zip(jury.values.tolist(), has_verdict, strict=True)
            ]
            write_scores(parsed.out, people.items, {name: scores}, {name: jury.signature})
    except OSError as error:
        raise ValueError(f"{parsed.out}: cannot be written: {error.strerror}") from error
    ties = f", {jury.ties:,} drawn among tied labels" if jury.ties else ""
    written = f"{counted(int(has_verdict.sum()), 'verdict')} of {name}{ties}"
    print(f"{parsed.out}: {written}. {jury.signature}", file=sys.stderr)


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
        except argparse.ArgumentTypeError as error:
            raise ValueError(f"--cost {text}: {error}") from error
    return costs


def _print(report: JuryReport, name: str, out: TextIO) -> None:
    console = console_for(out)
    statistic = JURY_STATISTICS[report.statistic]
    items, passages = counted(report.items, "item"), counted(report.passages, "passage")
    table = new_table(f"{name}: {counted(len(report.judges), 'judge')}, {items} of {passages}")
    table.add_column("")
    headers = (statistic, "95% interval", "gain", "95% interval", "ties", "cost", "missing")
    for header in headers:
        table.add_column(header, justify="right")
    for one in report.judges:
        cells = ["", "", "", f"{one.cost:g}", f"{one.missing:,}"]
        table.add_row(escape(one.name), *figure_cells(one.agreement), *cells)
    table.add_row("best single judge", *figure_cells(report.single), end_section=True)
    cost = f"{sum(one.cost for one in report.judges):g}"
    for jury in report.juries:
        figures = figure_cells(jury.agreement) + figure_cells(jury.gain, "+")
        table.add_row(f"jury: {jury.rule}", *figures, f"{jury.ties:,}", cost)
    console.print(table)
    frontier = new_table("Juries for a budget: chosen on half of the passages, tested on the other")
    frontier.add_column("jury")
    for header in ("cost", "chosen by", statistic, "95% interval", "gain", "95% interval"):
        frontier.add_column(header, justify="right")
    for row in report.frontier:
        frontier.add_row(
            escape(" + ".join(row.judges)),
            f"{row.cost:g}",
            decimal(row.train),
            *figure_cells(row.test),
            *figure_cells(row.gain, "+"),
        )
    console.print(frontier)
    if report.left_out:
        left_out = counted(report.left_out, "item")
        console.print(f"Left out, without an answer of every judge: {left_out}.")
    console.print(
        "gain: over the judge that is best on the other half of the passages, on which the weights "
        "are fitted too. Figures are means over both halves.",
        soft_wrap=True,
    )
    for reason in dict.fromkeys(filter(None, map(_reason, _figures(report)))):
        console.print(f"No interval: {reason}.", markup=False, soft_wrap=True)
    console.print(report.signature, markup=False, soft_wrap=True)


def _figures(report: JuryReport) -> list[Estimate]:
    rows = [row.agreement for row in report.judges]
    return rows + [getattr(row, key) for row in report.juries for key in ("agreement", "gain")]


def _reason(figure: Estimate) -> str:
    return "" if figure.ci else figure.reason
