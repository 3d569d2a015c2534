"""`concord plan FILE`: how many ratings the systems' means, or a target of sampling, need."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from concord.cli import plan_rules
from concord.cli.arguments import amount, natural, positive
from concord.cli.files import add_file, file_name, read_file
from concord.cli.plots import add_plot, write_plot
from concord.cli.progress import progress_bar
from concord.cli.tables import console_for, dollars, new_table, print_json
from concord.frames import complete_frame, extract_ratings, refuse_unordered
from concord.meta.inference.draws import run_steps
from concord.planning.means import needed_passages
from concord.planning.variance import component_steps
from concord.plots.forest import IntervalPlot
from concord.sentences import counted, decimal

if TYPE_CHECKING:
    import pandas as pd

_TITLES = {
    "mean": "the mean of a system, over new passages",
    "difference": "the difference of two systems",
}


def add(commands: Any) -> None:
    parser: argparse.ArgumentParser = commands.add_parser(
        "plan", help="how many ratings are needed, from a pilot or another rated set"
    )
    add_file(parser)
    option = parser.add_argument
    option("--width", type=amount,
           help="the wanted width of 95%% intervals, in points of the scale")  # fmt: skip
    option("--persons", type=positive, metavar="N",
           help="raters in all (default: as many as in the file)")  # fmt: skip
    option("--raters", metavar="GROUP", help="required if there are several groups")
    option("--seed", type=natural, default=0, help="random seed")
    option("--draws", type=positive, default=200, help="number of bootstrap resamples")
    plan_rules.add_options(parser)
    option("--format", choices=("table", "json"), default="table")
    add_plot(parser)
    parser.set_defaults(run=run)


def run(parsed: argparse.Namespace) -> None:
    if parsed.scores is None and parsed.width is None:
        raise ValueError("name a width, or --scores and a target")
    frame = complete_frame(read_file(parsed))
    document: dict[str, Any] = {"file": file_name(parsed), "seed": parsed.seed}
    document |= {} if parsed.width is None else _means(frame, parsed)
    document |= {} if parsed.scores is None else plan_rules.compute(frame, parsed)
    by_rules = parsed.scores is not None
    plot = plan_rules.forest(document) if by_rules else _forest(document)
    write_plot(parsed, document["file"], plot)
    if parsed.format == "json":
        print_json(document)
        return
    if parsed.width is not None:
        _print_means(document, parsed, sys.stdout)
    if parsed.scores is not None:
        plan_rules.print_table(document, parsed, sys.stdout)


def _means(frame: pd.DataFrame, parsed: argparse.Namespace) -> dict[str, Any]:
    """The variance components, and the passages that means and differences need."""
    refuse_unordered(frame)
    ratings = extract_ratings(frame, parsed.raters)
    by_id = dict(zip(frame["id"].astype(str), frame["system"].astype(str), strict=True))
    systems = np.unique([by_id[name] for name in ratings.unit_names], return_inverse=True)[1]
    persons = parsed.persons or ratings.n_raters
    with progress_bar("resampling passages") as progress:
        steps = component_steps(
            ratings, systems, draws=parsed.draws, rng=np.random.default_rng(parsed.seed)
        )
        components = run_steps(steps, lambda step: progress(step.done, step.total))

    def rows(*, of_difference: bool) -> list[dict[str, Any]]:
        needed = needed_passages(
            components, parsed.width, of_difference=of_difference, persons=persons
        )
        return [asdict(row) for row in needed]

    return {
        "width": parsed.width,
        "persons": persons,
        "draws": parsed.draws,
        "passages": components.passages,
        "undefined": components.undefined,
        "components": asdict(components.estimate),
        "mean": rows(of_difference=False),
        "difference": rows(of_difference=True) if len(np.unique(systems)) > 1 else [],
    }


def _forest(document: dict[str, Any]) -> IntervalPlot:
    """The passages that means and differences need, by how many raters rate an answer."""
    rows = [
        (f"{name}, {counted(row['raters_each'], 'rating')} an answer",
         row["passages"],
         None if row["high"] is None else (row["low"], row["high"]))
        for name in _TITLES for row in document[name]
    ]  # fmt: skip
    return IntervalPlot(f"passages for a width of {document['width']:g}", rows, digits=0)


def _print_means(document: dict[str, Any], parsed: argparse.Namespace, out: TextIO) -> None:
    _print_components(document["components"], document["file"], out)
    for name, title in _TITLES.items():
        if rows := document[name]:
            _print_needed(rows, f"For {title}: width {parsed.width:g}", parsed, out)
    undefined = ""
    if document["undefined"]:
        undefined = (
            f" {document['undefined']:,} of {document['draws']:,} resamples tell no variance and "
            "are left out."
        )
    console_for(out).print(
        f"{document['persons']:,} raters in all. Intervals are by Student's t. The range resamples "
        f"the file's {counted(document['passages'], 'passage')}.{undefined} Where no number of "
        "passages is enough, the raters' strictness alone is too uncertain: take more raters.",
        soft_wrap=True,
    )


def _print_components(values: dict[str, float | None], name: str, out: TextIO) -> None:
    table = new_table(f"{name}: variance of a rating")
    table.add_column("of")
    table.add_column("variance", justify="right")
    table.add_column("share", justify="right")
    total = sum(value for value in values.values() if value is not None)
    for source, value in values.items():
        share = "" if value is None or not total else f"{value / total:.0%}"
        table.add_row(source, "unknown" if value is None else decimal(value), share)
    console_for(out).print(table)


def _print_needed(
    rows: Sequence[dict[str, Any]], title: str, parsed: argparse.Namespace, out: TextIO
) -> None:
    terms = plan_rules.pay_terms(parsed)
    table = new_table(title)
    headers = ["ratings an answer", "passages", "range", "ratings a system"]
    for header in [*headers, *([] if terms is None else ["cost a system"])]:
        table.add_column(header, justify="right")
    for row in rows:
        each, passages = row["raters_each"], row["passages"]
        cells = [
            str(each),
            _count(passages),
            " to ".join(dict.fromkeys((_count(row["low"]), _count(row["high"])))),
            _count(None if passages is None else passages * each),
        ]
        if terms is not None:
            cells.append("" if passages is None else dollars(terms.cents(each, passages)))
        table.add_row(*cells)
    console_for(out).print(table)


def _count(value: int | None) -> str:
    return "none is enough" if value is None else f"{value:,}"
