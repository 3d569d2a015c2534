"""`concord plan FILE --width W`: how many ratings the systems' means need."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, TextIO

import numpy as np

from concord.cli.arguments import amount, natural, positive
from concord.cli.files import add_file, file_name, read_file
from concord.cli.tables import console_for, new_table, print_json
from concord.frames import complete_frame, extract_ratings
from concord.planning.variance import (
    NeededPassages,
    VarianceComponents,
    needed_passages,
    variance_components,
)

_ROWS = {False: "the mean of a system, over new passages", True: "the difference of two systems"}


def add(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "plan", help="how many ratings the systems' means need, from the ratings of a pilot"
    )
    add_file(parser)
    option = parser.add_argument
    option("--width", type=amount, required=True,
           help="the wanted width of 95%% intervals, in points of the scale")  # fmt: skip
    option("--persons", type=positive, metavar="N",
           help="raters in all (default: as many as in the file)")  # fmt: skip
    option("--raters", metavar="GROUP", help="required if there are several groups")
    option("--seed", type=natural, default=0, help="random seed")
    option("--draws", type=positive, default=200, help="number of bootstrap resamples")
    option("--format", choices=("table", "json"), default="table")
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    frame = complete_frame(read_file(parsed))
    ratings = extract_ratings(frame, parsed.raters)
    by_id = dict(zip(frame["id"].astype(str), frame["system"].astype(str), strict=True))
    systems = np.unique([by_id[name] for name in ratings.unit_names], return_inverse=True)[1]
    components = variance_components(ratings, systems)
    persons = parsed.persons or ratings.n_raters
    rng = np.random.default_rng(parsed.seed)
    rows = {
        of_difference: needed_passages(
            ratings,
            systems,
            parsed.width,
            of_difference=of_difference,
            raters=persons,
            rng=rng,
            draws=parsed.draws,
        )
        for of_difference in ((False, True) if len(np.unique(systems)) > 1 else (False,))
    }
    if parsed.format == "json":
        print_json(
            {
                "file": file_name(parsed),
                "width": parsed.width,
                "persons": persons,
                "seed": parsed.seed,
                "draws": parsed.draws,
                "components": asdict(components),
                "mean": [asdict(row) for row in rows[False]],
                "difference": [asdict(row) for row in rows.get(True, [])],
            }
        )
        return
    out = sys.stdout
    _print_components(components, file_name(parsed), out)
    for of_difference, needed in rows.items():
        _print_needed(needed, f"For {_ROWS[of_difference]}: width {parsed.width:g}", out)
    console_for(out).print(
        f"{persons:,} raters in all. The range resamples the file's passages. Where no number of "
        "passages is enough, the raters' strictness alone is too uncertain: take more raters.",
        soft_wrap=True,
    )


def _print_components(parts: VarianceComponents, name: str, out: TextIO) -> None:
    table = new_table(f"{name}: variance of a rating")
    table.add_column("of")
    table.add_column("variance", justify="right")
    table.add_column("share", justify="right")
    values = asdict(parts)
    total = sum(value for value in values.values() if value is not None)
    for source, value in values.items():
        share = "" if value is None or not total else f"{value / total:.0%}"
        table.add_row(source, "unknown" if value is None else f"{value:.3f}", share)
    console_for(out).print(table)


def _print_needed(rows: Sequence[NeededPassages], title: str, out: TextIO) -> None:
    table = new_table(title)
    for header in ("ratings an answer", "passages", "range", "ratings a system"):
        table.add_column(header, justify="right")
    for row in rows:
        table.add_row(
            str(row.raters_each),
            _count(row.passages),
            f"{_count(row.low)} to {_count(row.high)}",
            _count(row.ratings),
        )
    console_for(out).print(table)


def _count(value: int | None) -> str:
    return "none is enough" if value is None else f"{value:,}"
