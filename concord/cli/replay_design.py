"""`concord replay --rule`: collect a rated set as a rule would have, until a target is reached."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from typing import Any, TextIO

import numpy as np

from concord.cli.arguments import positive
from concord.cli.draw import add_rule, chosen_rule
from concord.cli.files import file_name, print_report, read_file, selected_metrics
from concord.cli.progress import progress_bar
from concord.cli.tables import console_for, new_table, print_json
from concord.formats.scores import read_scores
from concord.frames import complete_frame
from concord.meta.inference.draws import run_steps
from concord.sampling import (
    DesignReplay,
    default_wave_size,
    replay_design_steps,
    stopping_rule,
    to_population,
)
from concord.sentences import counted


def add_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group(
        "collect by a rule until a target is reached, instead of samples of fixed sizes"
    )
    option = group.add_argument
    add_rule(group, None)
    option("--target", default="ranking:0.05",
           help="width:W of every system's interval, ranking:LEVEL at which all pairs of systems "
           "differ, or budget (default: ranking:0.05)")  # fmt: skip
    option("--wave", type=positive, help="units drawn before each look (default: 1/20 of all)")
    option("--budget", type=positive, help="most units to draw (default: all)")


def run(parsed: argparse.Namespace) -> None:
    frame = complete_frame(read_file(parsed))
    population = to_population(
        frame,
        read_scores(parsed.scores, on_report=print_report),
        selected_metrics(parsed),
        unit=parsed.unit,
    )
    stopping = stopping_rule(parsed.target, parsed.budget or population.size)
    rule = chosen_rule(parsed)
    wave = parsed.wave or default_wave_size(population.size)
    with progress_bar("simulating") as progress:
        steps = replay_design_steps(
            population,
            frame["score"].to_numpy(np.float64),
            rule,
            stopping,
            wave_size=wave,
            draws=parsed.draws,
            seed=parsed.seed,
        )
        rows = run_steps(steps, lambda step: progress(step.done, step.total))
    if parsed.format == "json":
        document = {
            "file": file_name(parsed),
            "metrics": list(population.metrics),
            "rule": asdict(rule),
            "target": asdict(stopping),
            "unit": parsed.unit,
            "units": population.size,
            "wave": wave,
            "draws": parsed.draws,
            "seed": parsed.seed,
            "systems": list(population.names),
            "rows": [asdict(row) for row in rows],
        }
        print_json(document)
    else:
        units, metrics = counted(population.size, "unit"), ", ".join(population.metrics)
        title = f"{file_name(parsed)}: {units}, by {metrics}"
        _print(rows, f"{title}, target {parsed.target}", sys.stdout)


def _print(rows: list[DesignReplay], title: str, out: TextIO) -> None:
    console = console_for(out)
    table = new_table(title)
    table.add_column("rule")
    headers: tuple[str, ...] = ("units", "5% to 95%", "ratings", "plain mean takes", "95% interval")
    for header in (*headers, "reached", "coverage", "at all looks", "resolved", "wrong", "refused"):
        table.add_column(header, justify="right")
    for row in rows:
        table.add_row(
            row.rule,
            f"{row.units:,.0f}",
            f"{row.units_low:,.0f} to {row.units_high:,.0f}",
            f"{row.ratings:,.0f}",
            f"{row.saving:.2f} times",
            f"{row.saving_ci[0]:.2f} to {row.saving_ci[1]:.2f}",
            *map(_share, (row.reached, row.coverage, row.all_looks, row.resolved, row.wrong)),
            _share(row.refused),
        )
    console.print(table)
    console.print(
        "Coverage: intervals at the stop that hold the set's own mean. Levels are corrected for "
        "all looks, so that more than 95% hold it.",
        soft_wrap=True,
    )


def _share(value: Any) -> str:
    return "" if value is None else f"{value:.1%}"
