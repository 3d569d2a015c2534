"""Analyses as tables for a terminal."""

from __future__ import annotations

from typing import TextIO

from rich.box import SIMPLE_HEAD
from rich.table import Table

from benchmarks.analyses import kinds
from benchmarks.analyses.models import Analysis
from concord.cli.tables import console_for
from concord.meta.comparing import separating_test
from concord.metrics.signature import variant_suffix


def print_comparison(analysis: Analysis, out: TextIO) -> None:
    """Print an agreement analysis, best first, with a line between rank groups."""
    result, parameters = (
        kinds.agreement.KIND.result_of(analysis),
        kinds.agreement.KIND.parameters_of(analysis),
    )
    console = console_for(out)
    table = Table(title=str(analysis.judgment_set), box=SIMPLE_HEAD, title_justify="left")
    for name in ("group", "rank", "metric", parameters.coefficient, "95% interval"):
        table.add_column(name, justify="left" if name == "metric" else "right")
    defined = [(row["value"], row) for row in result["metrics"] if row["value"] is not None]
    defined.sort(key=lambda one: -one[0])
    previous = None
    for value, row in defined:
        if previous is not None and row["group"] != previous:
            table.add_section()
        group, previous = ("" if row["group"] == previous else str(row["group"])), row["group"]
        interval = f"{row['ci'][0]:.3f} to {row['ci'][1]:.3f}" if row["ci"] else ""
        metric = row["metric"] + variant_suffix(row["signature"])
        table.add_row(group, str(row["rank"]), metric, f"{value:.3f}", interval)
    console.print(table)
    for row in result["metrics"]:
        if row["value"] is None:
            console.print(f"{row['metric']}: {row['reason']}", markup=False)
    console.print(
        f"n = {result['n']:,}; metrics of one group do not differ significantly ("
        f"{separating_test(result)}, {result['adjusted_by']}, {result['alpha']}); intervals: "
        f"bootstrap of {parameters.resample}; seed {parameters.seed}.",
        markup=False,
    )
