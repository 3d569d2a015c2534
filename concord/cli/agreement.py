"""`concord agreement FILE`: Krippendorff's alpha of the ratings in a file."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from concord import raters
from concord.cli.arguments import FILTERS, filter_step, natural, positive
from concord.cli.files import add_file, file_name, read_file
from concord.cli.plots import add_plot, write_plot
from concord.cli.tables import print_agreement, print_json
from concord.documents.agreement import AlphaRow
from concord.filtering import Ledger
from concord.reliability import LEVELS


def add(commands: Any) -> None:
    """Add the command `agreement` to the parser."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "agreement", help="Krippendorff's alpha of the ratings in a file"
    )
    add_file(parser)
    option = parser.add_argument
    option("--raters", metavar="GROUP", help="required if there are several groups")
    option("--level", choices=LEVELS, default="ordinal")
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
    result = raters.agreement(
        read_file(parsed),
        level=parsed.level,
        raters=parsed.raters,
        filter=ledger.steps,
        seed=parsed.seed,
        draws=parsed.draws,
    )
    report = {
        **result.to_json(),
        "file": file_name(parsed),
        "raters": parsed.raters,
        "filter": ledger.to_json(),
        "seed": parsed.seed,
        "draws": parsed.draws,
    }
    parts: dict[str, AlphaRow] = {"ratings": result.report}
    if ledger.steps:
        parts = {"all": result.report["unfiltered"], "kept": result.report}
        parts["shuffled, kept"] = result.report["null"]
    rows = [(name, row["alpha"], row["ci"]) for name, row in parts.items()]
    write_plot(parsed, file_name(parsed), f"Krippendorff's alpha ({parsed.level})", rows)
    if parsed.format == "json":
        print_json(report)
    else:
        name = file_name(parsed) + (f", raters {parsed.raters}" if parsed.raters else "")
        print_agreement(result.to_json(), name, ledger, sys.stdout)
