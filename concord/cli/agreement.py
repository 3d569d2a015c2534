"""`concord agreement FILE`: Krippendorff's alpha of the ratings in a file."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd

from concord import raters
from concord.cli.arguments import FILTERS, add_level, filter_step, natural, positive
from concord.cli.files import add_file, file_name, read_file
from concord.cli.judged import add_judges, read_score_files
from concord.cli.plots import add_plot, write_plot
from concord.cli.tables import print_agreement, print_json
from concord.documents.agreement import AgreementReport
from concord.filtering import Ledger
from concord.judged_frames import split_judges, with_rater


def add(commands: Any) -> None:
    """Add the command `agreement` to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "agreement", help="Krippendorff's alpha of the ratings in a file"
    )
    add_file(parser)
    option = parser.add_argument
    add_judges(parser)
    option("--scores", nargs="+", type=Path, default=[], metavar="SCORES",
           help="judges' answers in files of scores, such as those of concord judge")  # fmt: skip
    option("--raters", metavar="GROUP", help="required if there are several groups")
    add_level(parser)
    option("--filter", dest="steps", type=filter_step, action="append", default=[],
           metavar="FILTER", help=f"{FILTERS}; repeat it for further steps")  # fmt: skip
    option("--seed", type=natural, default=0, help="random seed")
    option("--draws", type=positive, default=1000, help="number of bootstrap resamples")
    option("--format", choices=("table", "json"), default="table")
    add_plot(parser)
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    """Print the agreement of the ratings in a file."""
    ledger = Ledger(tuple(parsed.steps))

    def agreement(frame: pd.DataFrame) -> raters.Agreement:
        return raters.agreement(
            frame,
            level=parsed.level,
            raters=parsed.raters,
            filter=ledger.steps,
            seed=parsed.seed,
            draws=parsed.draws,
        )

    frame = read_file(parsed)
    judges: dict[str, AgreementReport] = {}
    if parsed.judges or parsed.scores:
        judged = split_judges(frame, parsed.judges)
        frame = judged.people
        judged = replace(judged, judges=read_score_files(judged, parsed.scores))
        judges = {
            str(name): agreement(with_rater(judged, str(name), parsed.raters)).to_json()
            for name in judged.judges.columns
        }
    result = agreement(frame)
    report = {
        **result.to_json(),
        "file": file_name(parsed),
        "criterion": parsed.criterion,
        "raters": parsed.raters,
        "filter": ledger.to_json(),
        "seed": parsed.seed,
        "draws": parsed.draws,
    }
    write_plot(parsed, file_name(parsed), result.forest())
    if judges:
        report["judges"] = judges
    if parsed.format == "json":
        print_json(report)
        return
    others = frame.attrs["report"].criteria
    criterion = parsed.criterion or (others and f"the score, beside {', '.join(others)}")
    parts = (file_name(parsed), criterion, parsed.raters and f"raters {parsed.raters}")
    name = ", ".join(filter(None, parts))
    people = f"{name}, people" if judges else name
    print_agreement(result.to_json(), people, ledger, sys.stdout)
    for judge, of_judge in judges.items():
        print_agreement(of_judge, f"{name}, people and the judge {judge}", ledger, sys.stdout)
