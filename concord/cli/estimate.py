"""`concord estimate FILE --scores SCORES.jsonl`: systems' means from few ratings and a metric."""

from __future__ import annotations

import argparse
import sys
from typing import Any, TextIO, get_args

import pandas as pd
from rich.markup import escape

from concord.cli.arguments import positive
from concord.cli.files import (
    add_file,
    add_scores,
    file_name,
    print_report,
    read_file,
    selected_metrics,
)
from concord.cli.judged import add_judges, read_score_files
from concord.cli.plots import add_plot, write_plot
from concord.cli.tables import console_for, new_table, print_json
from concord.estimation import METHODS, EstimateReport, Target
from concord.estimation.report import TARGETS
from concord.formats.judged_files import is_judgments
from concord.formats.scores import read_scores
from concord.judged_frames import split_judges
from concord.sampling import estimate_sampled
from concord.sentences import decimal, interval_text


def add(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "estimate", help="systems' mean ratings, from few ratings and a metric on every candidate"
    )
    add_file(parser)
    add_scores(parser, required=False)
    add_judges(parser)
    option = parser.add_argument
    option("--target", choices=get_args(Target), default="set",
           help="set: this file's candidates; new: new passages of this kind")  # fmt: skip
    option("--method", choices=METHODS, default="auto")
    option("--budget", type=positive,
           help="a design's planned number of units: its intervals are corrected for a look after "
           "every wave")  # fmt: skip
    option("--format", choices=("table", "json"), default="table")
    add_plot(parser)
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    names = selected_metrics(parsed)
    frame, scores = _read(parsed)
    report = estimate_sampled(
        frame,
        scores,
        metrics=names,
        target=parsed.target,
        method=parsed.method,
        budget=parsed.budget,
    )
    write_plot(parsed, file_name(parsed), report.forest())
    if parsed.format == "json":
        document = {**report.to_json(), "file": file_name(parsed), "method": parsed.method}
        print_json(document)
    else:
        _print(report, file_name(parsed), sys.stdout)


def _read(parsed: argparse.Namespace) -> tuple[pd.DataFrame, pd.DataFrame]:
    """People's frame, and the scores of the file --scores and of the judges in the file."""
    if parsed.scores is None and not parsed.judges:
        raise ValueError("give the scores of every candidate by --scores, or a judge by --judge")
    if not parsed.judges and not is_judgments([parsed.scores]):
        return read_file(parsed), read_scores(parsed.scores, on_report=print_report)
    judged = split_judges(read_file(parsed), parsed.judges)
    return judged.people, read_score_files(judged, [parsed.scores] if parsed.scores else [])


def _print(report: EstimateReport, name: str, out: TextIO) -> None:
    console = console_for(out)
    title = f"{name}: {TARGETS[report.target]}, by {', '.join(report.metrics)}"
    table = new_table(title)
    table.add_column("system")
    headers = ("group", "mean", "interval", "plain mean", "interval", "rated", "of")
    for header in (*headers, "as many as", "correlation"):
        table.add_column(header, justify="right")
    table.add_column("method")
    order = sorted(
        zip(report.systems, report.ranks, strict=True),
        key=lambda pair: -(pair[0].mean if pair[0].mean is not None else float("-inf")),
    )
    for row, rank in order:
        table.add_row(
            escape(row.system),
            "" if rank.group is None else str(rank.group),
            _number(row.mean),
            interval_text(row.ci),
            _number(row.plain_mean),
            interval_text(row.plain_ci),
            f"{row.rated:,}",
            f"{row.candidates:,}",
            "" if row.effective_n is None else f"{row.effective_n:,.0f}",
            _number(row.correlation),
            row.method,
        )
    console.print(table)
    for row, _ in order:
        if row.reason:
            console.print(f"{row.system}: {row.reason}.", markup=False, soft_wrap=True)
    if (drawn := report.sampling) is not None:
        lead = (
            f"By the probabilities of {drawn.waves} waves; {drawn.units:,} of {drawn.of:,} "
            f"units drawn and rated, {drawn.pending:,} drawn and not rated; intervals of "
            f"{drawn.confidence:.1%}."
        )
    else:
        lead = "Ratings must be of a random sample of passages."
    console.print(report.note)
    console.print(
        f'{lead} "as many as": how many ratings the plain mean would need for the same interval.',
        soft_wrap=True,
    )


def _number(value: float | None) -> str:
    return "" if value is None else decimal(value)
