"""`concord plan --scores`: what each sampling rule needs until a target, by replay."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TextIO

import numpy as np

from concord.cli.arguments import amount, positive
from concord.cli.files import add_scores, print_report, selected_metrics
from concord.cli.progress import progress_bar
from concord.cli.tables import console_for, dollars, new_table
from concord.estimation import EstimationError
from concord.formats.scores import read_scores
from concord.frames import is_sampled
from concord.meta.inference.draws import run_steps
from concord.planning.plan import PayTerms
from concord.plots.forest import IntervalPlot
from concord.protocols import Pay
from concord.sampling import UNITS, default_wave_size, stopping_rule, to_population
from concord.sampling.plans import Range, cents_range, plan_rule_steps, ratings_range

if TYPE_CHECKING:
    import pandas as pd


def add_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("what each sampling rule needs, with a metric's scores")
    add_scores(group, required=False)
    option = group.add_argument
    option("--target", help="width:W or ranking:LEVEL (default: the width)")
    option("--unit", choices=UNITS, default="instance", help="what is drawn whole")
    option("--units", type=positive, metavar="N",
           help="instances of the planned study (default: those rated in the file)")  # fmt: skip
    option("--wave", type=positive, help="units drawn before each look (default: 1/20 of all)")
    option("--budget", type=positive, help="most units to draw (default: all)")
    option("--ratings-each", type=positive, default=1, help="ratings of an answer in the file")
    option("--cents", type=positive, help="pay of a rating; the plan then names costs")
    option("--fee", type=amount, default=0.0, help="the platform's fee in percent")


def pay_terms(parsed: argparse.Namespace) -> PayTerms | None:
    """The price of a rating; None without one."""
    return None if parsed.cents is None else PayTerms(Pay(parsed.cents), 1, parsed.fee)


def compute(frame: pd.DataFrame, parsed: argparse.Namespace) -> dict[str, Any]:
    """The document of the replayed rules."""
    if is_sampled(frame):
        raise EstimationError(
            "the file was drawn by a rule; plan from a set that is rated completely, or at random"
        )
    text = parsed.target or ("" if parsed.width is None else f"width:{parsed.width!r}")
    if not text:
        raise EstimationError("name a target for the sampling rules: --target or --width")
    scores, metrics = read_scores(parsed.scores, on_report=print_report), selected_metrics(parsed)
    everything = to_population(frame, scores, metrics, unit=parsed.unit)
    outcomes = frame["score"].to_numpy(np.float64)
    rows = everything.rated_units(outcomes)[everything.units]
    if not rows.any():
        raise EstimationError("no instance of the file is rated completely")
    rated = frame[rows].reset_index(drop=True)
    population = to_population(rated, scores, metrics, unit=parsed.unit)
    size = parsed.units or population.size
    stopping = stopping_rule(text, parsed.budget or size)
    if stopping.kind == "budget":
        raise EstimationError("a budget is no target to plan for; name a width or a ranking")
    with progress_bar("simulating") as progress:
        steps = plan_rule_steps(
            population,
            outcomes[rows],
            stopping,
            size=size,
            wave_size=parsed.wave or default_wave_size(size),
            draws=parsed.draws,
            seed=parsed.seed,
        )
        plans = run_steps(steps, lambda step: progress(step.done, step.total))
    each, terms = parsed.ratings_each, pay_terms(parsed)
    return {
        "target": asdict(stopping),
        "metrics": list(population.metrics),
        "rated_units": population.size,
        "units": size,
        "draws": parsed.draws,
        "rules": [
            {
                **asdict(plan),
                "ratings": ratings_range(plan, each),
                "cents": None if terms is None else cents_range(plan, each, terms),
            }
            for plan in plans
        ],
    }


def forest(document: dict[str, Any]) -> IntervalPlot:
    """The units that each rule needs."""
    target = document["target"]
    rows = [(row["rule"], row["units"][0], row["units"][1:]) for row in document["rules"]]
    return IntervalPlot(f"units for a {target['kind']} of {target['value']:g}", rows, digits=0)


def print_table(document: dict[str, Any], parsed: argparse.Namespace, out: TextIO) -> None:
    target, metrics = document["target"], ", ".join(document["metrics"])
    table = new_table(
        f"{document['file']}: {target['kind']} {target['value']:g} of {document['units']:,} units, "
        f"by {metrics}"
    )
    table.add_column("rule")
    for header in ("units", "ratings", *(["cost"] if parsed.cents else []), "reached"):
        table.add_column(header, justify="right")
    for row in document["rules"]:
        cells = [_range(row["units"]), _range(row["ratings"])]
        if row["cents"] is not None:
            expected, low, high = map(dollars, row["cents"])
            cells.append(f"{expected} ({low} to {high})")
        table.add_row(row["rule"], *cells, f"{row['reached']:.0%}")
    console = console_for(out)
    console.print(table)
    console.print(
        f"By {document['draws']:,} simulated studies, whose passages are those of the "
        f"{document['rated_units']:,} rated units; in brackets 5% to 95% of them.",
        soft_wrap=True,
    )


def _range(values: Range) -> str:
    expected, low, high = values
    return f"{expected:,} ({low:,} to {high:,})"
