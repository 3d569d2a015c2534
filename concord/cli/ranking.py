"""`concord ranking PAIRS`: systems ranked by people's choices between two answers or from sets."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TextIO

import numpy as np
from rich.console import Console
from rich.markup import escape

from concord.cli.arguments import natural
from concord.cli.both_bad import add_both_bad
from concord.cli.files import (
    add_format,
    add_options,
    print_report,
    read_file,
    stated_format,
)
from concord.cli.judged import add_judges, read_score_files
from concord.cli.plots import add_plot, write_plot
from concord.cli.tables import console_for, new_table, print_json
from concord.formats import JUDGMENT_FORMATS, FormatRecipe
from concord.formats.choices import HOW_COUNTED, AnswerCounts
from concord.formats.errors import quote_names
from concord.formats.judged_files import is_judgments
from concord.formats.preferences import (
    PREFERENCE_FORMATS,
    Preference,
    counted_preferences,
    detect_preferences,
    read_preferences,
)
from concord.formats.report import FileReport
from concord.judged_frames import (
    judge_as_rater,
    of_group,
    ratings_as_preferences,
    split_judges,
)
from concord.preferences import BestWorstReport, Ranking, SystemRank, rank_systems
from concord.sentences import counted, decimal, interval_text

JUDGMENT_SOURCES = tuple(name for name in JUDGMENT_FORMATS if name not in PREFERENCE_FORMATS)


def add(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "ranking", help="systems ranked by people's choices between two answers or from sets"
    )
    option = parser.add_argument
    option("files", metavar="FILE", nargs="+", type=Path,
           help="pairs, or judgments, whose ratings say which of two answers a rater "
                "prefers")  # fmt: skip
    add_format(option, (*PREFERENCE_FORMATS, *JUDGMENT_SOURCES))
    add_options(parser)
    add_judges(parser)
    option("--raters", metavar="GROUP", help="of judgments; by default all groups")
    option("--scores", nargs="+", type=Path, default=[], metavar="SCORES",
           help="judges' scores of the candidates, such as those of concord judge")  # fmt: skip
    option("--ties", action="store_true",
           help="give ties a parameter (Davidson), and count hard choices as ties; without it, a "
                "tie is half a win of each")  # fmt: skip
    add_both_bad(parser)
    option(
        "--seed", type=natural, default=0, help="random seed of the split-half reliability of sets"
    )
    option("--format", choices=("table", "json"), default="table")
    add_plot(parser)
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    choices = _read(parsed)
    invalid = [None] * choices.invalid_choices
    counts = AnswerCounts.of([*(one.answer for one in choices.people), *invalid])
    ranking = _rank("people", choices.people, parsed)
    judges = {
        name: (_rank(name, of_judge, parsed), AnswerCounts.of(one.answer for one in of_judge))
        for name, of_judge in choices.judges.items()
    }
    name = ", ".join(path.name for path in parsed.files)
    write_plot(parsed, name, ranking.forest())
    if parsed.format == "json":
        document = {
            **ranking.to_json(),
            "answers": counts.to_json(),
            "both_bad": parsed.both_bad,
            "file": name,
            "seed": parsed.seed,
        }
        if judges:
            document["judges"] = {
                judge: each.to_json() | {"answers": of_judge.to_json()}
                for judge, (each, of_judge) in judges.items()
            }
        print_json(document)
        return
    _print(ranking, f"{name}, people" if judges else name, sys.stdout)
    print(f"{counts}.")
    for judge, (each, of_judge) in judges.items():
        _print(each, f"{name}, the judge {judge}", sys.stdout)
        print(f"{of_judge}.")
    print(
        f"A tie {'has a parameter' if parsed.ties else 'is half a win of each'}; "
        f"{HOW_COUNTED[parsed.both_bad]}; invalid answers are left out."
    )


def _rank(who: str, preferences: Sequence[Preference], parsed: argparse.Namespace) -> Ranking:
    used = counted_preferences(preferences, parsed.both_bad)
    if not used:
        raise ValueError(f"no choice of {who} between two systems' answers to one question is left")
    return rank_systems(used, ties=parsed.ties, rng=np.random.default_rng(parsed.seed))


@dataclass(frozen=True)
class _Choices:
    """What people prefer, and each judge. invalid_choices: people's answers without a choice."""

    people: list[Preference]
    judges: dict[str, list[Preference]]
    invalid_choices: int = 0


def _read(parsed: argparse.Namespace) -> _Choices:
    """The choices of a file of pairs, or the ones that the ratings of judgments imply."""
    stated = stated_format(parsed)
    if is_judgments(parsed.files) if stated is None else _has_judgments(stated):
        return _of_judgments(parsed)
    if parsed.scores:
        raise ValueError("--scores are of candidates: give a file of judgments, and not of pairs")
    reports: list[FileReport] = []
    source = stated or detect_preferences(parsed.files[0], parsed.columns)
    preferences = read_preferences(
        parsed.files,
        source,
        on_report=reports.append,
        both_orders=bool(parsed.judges) and source == PREFERENCE_FORMATS[0],
        columns=parsed.columns,
    )
    print_report(reports[0])
    workers = {one.worker for one in preferences}
    if unknown := [name for name in parsed.judges if name not in workers]:
        known = quote_names(sorted(filter(None, workers)))
        raise ValueError(f"no rater is named {quote_names(unknown)}; the raters are {known}")
    # The two orders of a judge are as two raters, who may agree.
    judges = {
        name: [
            replace(one, worker=f"{name}, {one.first_shown} first")
            for one in preferences
            if one.worker == name
        ]
        for name in parsed.judges
    }
    people = [one for one in preferences if one.worker not in judges]
    return _Choices(people, judges, reports[0].invalid_choices)


def _has_judgments(format: str | FormatRecipe) -> bool:
    if isinstance(format, FormatRecipe):
        return format.kind == "judgments"
    return format in JUDGMENT_SOURCES


def _of_judgments(parsed: argparse.Namespace) -> _Choices:
    judged = split_judges(read_file(parsed), parsed.judges)
    judged = replace(judged, judges=read_score_files(judged, parsed.scores))
    people = ratings_as_preferences(of_group(judged.people, parsed.raters))
    judges = {
        str(name): ratings_as_preferences(judge_as_rater(judged, str(name)))
        for name in judged.judges.columns
    }
    return _Choices(people, judges)


def _print(ranking: Ranking, name: str, out: TextIO) -> None:
    console = console_for(out)
    title = (
        f"{name}: {counted(ranking.choices, 'choice')} on {counted(ranking.questions, 'question')}"
    )
    table = new_table(title)
    table.add_column("rank", justify="right")
    table.add_column("system")
    report = ranking.best_worst
    columns = ["wins", "losses", "ties"]
    if report is not None:
        columns = ["score", "95% interval", "best", "worst", "appearances"]
    for header in ("win probability", "95% interval", *columns):
        table.add_column(header, justify="right")
    for row in ranking.systems:
        table.add_row(
            "" if row.rank is None else str(row.rank),
            escape(row.system),
            "" if row.win_probability is None else decimal(row.win_probability),
            interval_text(row.ci, 2),
            *_counted(row, report),
        )
    console.print(table)
    if any(row.rank is not None for row in ranking.systems):
        console.print("Rank: 1 + the number of systems that are shown to be better.")
    for note in ranking.notes:
        console.print(note, markup=False, soft_wrap=True)
    if ranking.reason:
        console.print(f"{ranking.reason}.", markup=False, soft_wrap=True)
    if ranking.no_interval:
        console.print(f"No intervals: {ranking.no_interval}.", markup=False, soft_wrap=True)
    alpha = ranking.alpha
    if report is not None:
        _print_reliability(report, console)
    elif alpha.value is not None:
        console.print(f"Agreement on the same two answers: alpha {decimal(alpha.value)} (nominal).")
    if ranking.side_note:
        console.print(ranking.side_note, soft_wrap=True)


def _counted(row: SystemRank, report: BestWorstReport | None) -> list[str]:
    if report is None:
        return [f"{number:,}" for number in (row.wins, row.losses, row.ties)]
    one = report.systems[row.system]
    counts = (f"{number:,}" for number in (one.best, one.worst, one.appearances))
    return [decimal(one.score.value), interval_text(one.score.ci, 2), *counts]


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
