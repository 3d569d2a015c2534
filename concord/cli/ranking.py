"""`concord ranking PAIRS`: systems ranked by people's choices between two answers or from sets."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import Any, TextIO

import numpy as np
import scipy
from rich.console import Console
from rich.markup import escape

from concord.cli.arguments import natural, positive
from concord.cli.files import print_report
from concord.cli.plots import add_plot, write_plot
from concord.cli.tables import console_for, new_table, print_json
from concord.formats.preferences import PREFERENCE_FORMATS, read_preferences
from concord.preferences import BestWorstReport, Ranking, SystemRank, rank_systems
from concord.sentences import counted, decimal


def add(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "ranking", help="systems ranked by people's choices between two answers or from sets"
    )
    option = parser.add_argument
    option("files", metavar="PAIRS", nargs="+", type=Path)
    option("--from", dest="source", choices=PREFERENCE_FORMATS, default="concord-pairs",
           help="the file's format (default: concord-pairs)")  # fmt: skip
    option("--ties", action="store_true",
           help="give ties a parameter (Davidson), and count hard choices as ties; without it, a "
                "tie is half a win of each")  # fmt: skip
    option("--seed", type=natural, default=0, help="random seed")
    option("--draws", type=positive, default=1000, help="number of bootstrap resamples")
    option("--format", choices=("table", "json"), default="table")
    add_plot(parser)
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    ranking = rank_systems(
        read_preferences(parsed.files, parsed.source, on_report=print_report),
        ties=parsed.ties,
        draws=parsed.draws,
        rng=np.random.default_rng(parsed.seed),
    )
    name = ", ".join(path.name for path in parsed.files)
    rows = [(row.system, row.win_probability, row.ci) for row in ranking.systems]
    write_plot(parsed, name, "win probability", rows)
    if parsed.format == "json":
        document = {**ranking.to_json(), "file": name, "seed": parsed.seed}
        print_json(document)
    else:
        _print(ranking, name, sys.stdout)


def _print(ranking: Ranking, name: str, out: TextIO) -> None:
    console = console_for(out)
    title = (
        f"{name}: {counted(ranking.choices, 'choice')} on {counted(ranking.questions, 'question')}"
    )
    table = new_table(title)
    table.add_column("system")
    report = ranking.best_worst
    columns = ["wins", "losses", "ties"]
    if report is not None:
        columns = ["score", "95% interval", "best", "worst", "appearances"]
    for header in ("win probability", "95% interval", *columns):
        table.add_column(header, justify="right")
    for row in ranking.systems:
        ends = row.ci
        table.add_row(
            escape(row.system),
            "" if row.win_probability is None else decimal(row.win_probability),
            "" if ends is None else f"{decimal(ends[0], 2)} to {decimal(ends[1], 2)}",
            *_counted(row, report),
        )
    console.print(table)
    if widths := [row.ci[1] - row.ci[0] for row in ranking.systems if row.ci is not None]:
        console.print(
            f"With {counted(ranking.draws, 'resample')}, another seed moves the ends of intervals "
            f"by up to about {2 * _end_error(max(widths), ranking.draws):.2g}.",
            soft_wrap=True,
        )
    if ranking.reason:
        console.print(f"{ranking.reason}.", markup=False, soft_wrap=True)
    if ranking.no_interval:
        console.print(f"No intervals: {ranking.no_interval}.", markup=False, soft_wrap=True)
    if ranking.disconnected:
        console.print(
            f"{ranking.disconnected:,} of {counted(ranking.draws, 'resample')} left out: in "
            "them, a "
            "system always won or always lost.",
            soft_wrap=True,
        )
    alpha = ranking.alpha
    if report is not None:
        _print_reliability(report, console)
    elif alpha.value is not None:
        console.print(f"Agreement on the same two answers: alpha {decimal(alpha.value)} (nominal).")
    if ranking.first_wins is not None:
        share, p = ranking.first_wins
        what = "The answer shown first won {} of decided choices"
        if report is not None:
            what = "The best answer was shown before the worst in {} of choices"
        console.print(f"{what.format(f'{share:.1%}')} (p = {decimal(p)}).")


def _end_error(width: float, draws: int) -> float:
    """The standard error, by the draws alone, of the ends of a 95% percentile interval: that of a
    normal distribution's quantile with this interval."""
    z = float(scipy.stats.norm.isf(0.025))
    return width / (2 * z) * math.sqrt(0.025 * 0.975 / draws) / float(scipy.stats.norm.pdf(z))


def _counted(row: SystemRank, report: BestWorstReport | None) -> list[str]:
    if report is None:
        return [f"{number:,}" for number in (row.wins, row.losses, row.ties)]
    one = report.systems[row.system]
    ends = "" if one.ci is None else f"{decimal(one.ci[0], 2)} to {decimal(one.ci[1], 2)}"
    counts = (f"{number:,}" for number in (one.best, one.worst, one.appearances))
    return [decimal(one.score), ends, *counts]


def _print_reliability(report: BestWorstReport, console: Console) -> None:
    for name, alpha in (("best", report.alpha_best), ("worst", report.alpha_worst)):
        if alpha.value is not None:
            console.print(
                f"Agreement on the {name} of a set: alpha {decimal(alpha.value)} (nominal)."
            )
    half = report.split_half
    if half.pearson is not None:
        console.print(
            f"Split-half reliability of candidates' scores: Pearson {decimal(half.pearson)}, "
            "Spearman "
            f"{decimal(half.spearman)} (mean of {half.splits} divisions).",
            soft_wrap=True,
        )
