"""`concord alt-test HUMAN JUDGES`, or `FILE --judge NAME`: may a judge stand in for a rater?"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TextIO

from rich.markup import escape

from concord.cli.arguments import natural, positive, share
from concord.cli.judged_labels import LabelInputReader, LabelInputs, add_label_options
from concord.cli.plots import add_plot, write_plot
from concord.cli.tables import console_for, new_table, print_json
from concord.formats.choices import HOW_COUNTED
from concord.formats.labels import AnnotatorLabels
from concord.inference import Estimate
from concord.judges import (
    AltTest,
    AltTestOptions,
    ItemIdPattern,
    JudgeReport,
    JudgeReports,
    judge_report,
)
from concord.judges.agreement import MIN_CORRELATION
from concord.judges.item_ids import CRITERION, item_parts, shared_prefixes
from concord.sentences import counted, decimal, figure_text, interval_text


def add(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "alt-test", help="the alternative annotator test: may a judge stand in for a rater?"
    )
    option = parser.add_argument
    option("files", metavar="FILE", nargs="+", type=Path,
           help="HUMAN JUDGES, people's file and a judge's, or one FILE with --judge: labels "
                "{rater: {item: label}}, judgments in any format of --from, or, for judges, the "
                "output of concord judge")  # fmt: skip
    add_label_options(parser)
    option("--epsilon", type=share, default=0.2,
           help="0.2 against experts, 0.15 skilled, 0.1 crowd (default: 0.2)")  # fmt: skip
    option("--q", type=share, default=0.05, help="false discovery rate over raters")
    option("--seed", type=natural, default=0, help="random seed")
    option("--draws", type=positive, default=1000, help="number of bootstrap resamples")
    option("--format", choices=("table", "json"), default="table")
    add_plot(parser)
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    reader = LabelInputReader(parsed)
    inputs = reader.read()
    people, judges = inputs.people, inputs.judges
    pattern: ItemIdPattern | None = parsed.item_id
    items, documents = inputs.items, inputs.documents_by(pattern)
    criteria = item_parts(pattern, items, CRITERION)

    options = AltTestOptions(
        epsilon=parsed.epsilon, q=parsed.q, draws=parsed.draws, seed=parsed.seed
    )

    def report(people: AnnotatorLabels, judges: AnnotatorLabels) -> JudgeReports:
        return judge_report(
            people,
            judges,
            graded=parsed.graded,
            clusters=documents,
            options=options,
            scale=inputs.scale,
        )

    pooled = report(people, judges)
    if documents is None:
        warning = _warning_of_prefixes(inputs, pooled, options, graded=parsed.graded)
        pooled.warnings.extend(warning)
    by_criterion = {
        name: report(_of_criterion(people, criteria, name), _of_criterion(judges, criteria, name))
        for name in dict.fromkeys((criteria or {}).values())
    }
    write_plot(parsed, parsed.files[0].name, pooled.forest())
    if parsed.format == "json":
        document = {
            **pooled.to_json(),
            "graded": parsed.graded,
            "epsilon": parsed.epsilon,
            "q": parsed.q,
            "seed": parsed.seed,
            "draws": parsed.draws,
            "items": len(items),
            "answers": {
                "people": reader.of_people.total.to_json(),
                "judges": {name: one.to_json() for name, one in reader.of_judges.counts.items()},
            },
            "both_bad": parsed.both_bad,
        }
        if inputs.join is not None:
            document["join"] = inputs.join.to_json()
        if by_criterion:
            document["criteria"] = {name: each.to_json() for name, each in by_criterion.items()}
        print_json(document)
        return
    file = parsed.files[0].name
    name = f"{file}, {counted(len(people), 'rater')}, {counted(len(items), 'item')}"
    pooled_title = f"{name}, all criteria pooled" if by_criterion else name
    _print(pooled, pooled_title, parsed.graded, sys.stdout)
    for criterion, each in by_criterion.items():
        _print(each, f"{file}, {criterion}", parsed.graded, sys.stdout)
    counts = {"People": reader.of_people.total} | reader.of_judges.counts
    print(" ".join(f"{name}: {count}." for name, count in counts.items()))
    print(f"A tie is a label; {HOW_COUNTED[parsed.both_bad]}; an invalid answer is left out.")


def _warning_of_prefixes(
    inputs: LabelInputs, reports: JudgeReports, options: AltTestOptions, *, graded: bool
) -> list[str]:
    """What --item-id would change, where ids share prefixes that may name documents; else none."""
    shared = shared_prefixes(inputs.items)
    if shared is None:
        return []
    pattern, prefixes = shared
    by_prefix = judge_report(
        inputs.people,
        inputs.judges,
        graded=graded,
        clusters=prefixes,
        options=replace(options, draws=1),
        scale=inputs.scale,
    )
    changed = [
        f"{name} {'passes' if test.passed else 'does not pass'} then (omega "
        f"{_number(test.winning_rate)})"
        for name, one in by_prefix.judges.items()
        if (test := one.by_cluster) is not None and test.passed != reports.judges[name].test.passed
    ]
    return [
        f"the ids of {counted(len(prefixes), 'item')} have "
        f"{counted(len(set(prefixes.values())), 'prefix', 'prefixes')}, such as "
        f"'{next(iter(prefixes.values()))}': if these are documents, items of one are dependent, "
        f"and the test needs --item-id '{pattern}'; "
        + (", ".join(changed) or "the verdicts stay the same then")
    ]


def _of_criterion(
    labels: AnnotatorLabels, criteria: Mapping[str, str] | None, name: str
) -> AnnotatorLabels:
    of_item = criteria or {}
    return {
        annotator: {item: label for item, label in of.items() if of_item.get(item) == name}
        for annotator, of in labels.items()
    }


def _print(reports: JudgeReports, title: str, graded: bool, out: TextIO) -> None:
    console = console_for(out)
    table = new_table(title)
    table.add_column("judge")
    has_documents = any(report.by_cluster for report in reports.judges.values())
    names = ["omega", "passes", "rho", "95% interval"]
    names += ["omega by document", "passes"] if has_documents else []
    names += ["Pearson"] if graded else []
    names += ["accuracy", "kappa", "raters' kappa", "z", "missing"]
    for name in names:
        table.add_column(name, justify="right")
    for name, report in reports.judges.items():
        table.add_row(escape(name), *_cells(report, graded))
    for name, report in reports.baselines.items():
        table.add_row(f"baseline: {escape(name)}", *_cells(report, graded))
    console.print(table)
    console.print("95% intervals of rho: bootstrap of items, or of documents where known.")
    for warning in reports.warnings:
        console.print(f"Warning: {warning}.", markup=False, soft_wrap=True)
    for name, report in reports.judges.items():
        if report.test.reason:
            console.print(f"{name}: {report.test.reason}.", markup=False, soft_wrap=True)
        rho = report.test.advantage
        if rho.value is not None and rho.reason:
            console.print(f"{name}: no interval: {rho.reason}.", markup=False, soft_wrap=True)
    person = reports.person
    if person.value is not None:
        console.print(
            f"Judge's Verdict asks for an r of {MIN_CORRELATION:.2f}; that of one rater with the "
            f"mean of the others is {figure_text(person.value, person.ci, 2)}. A judge's r is with "
            "the mean of all raters, which alone makes it higher.",
            soft_wrap=True,
        )


def _cells(report: JudgeReport, graded: bool) -> list[str]:
    test, agreement = report.test, report.agreement
    cells = [_number(test.winning_rate), _passed(test), _number(test.advantage.value)]
    cells.append(interval_text(test.advantage.ci, 2))
    if report.by_cluster is not None:
        cells.append(_number(report.by_cluster.winning_rate))
        cells.append(_passed(report.by_cluster))
    figures: list[Estimate] = [agreement.pearson] if graded else []
    figures += [agreement.accuracy, agreement.kappa, agreement.people_kappa, agreement.z]
    return [*cells, *(_number(figure.value) for figure in figures), f"{test.missing:,}"]


def _passed(test: AltTest) -> str:
    return "not tested" if test.passed is None else "yes" if test.passed else "no"


def _number(value: float | None) -> str:
    return decimal(value, 2)
