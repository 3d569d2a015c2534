"""Analyses as tables for a terminal."""

from __future__ import annotations

from typing import TextIO

from rich.box import SIMPLE_HEAD
from rich.table import Table

from benchmarks.analyses import documents
from benchmarks.analyses.models import Analysis
from concord.cli.tables import console_for


def print_comparison(analysis: Analysis, out: TextIO) -> None:
    """Print an agreement analysis, best first, with a line between rank groups."""
    result, asked = documents.agreement(analysis), documents.agreement_parameters(analysis)
    console = console_for(out)
    table = Table(title=str(analysis.judgment_set), box=SIMPLE_HEAD, title_justify="left")
    for name in ("group", "rank", "metric", asked["coefficient"], "95% interval"):
        table.add_column(name, justify="left" if name == "metric" else "right")
    defined = [(row["value"], row) for row in result["metrics"] if row["value"] is not None]
    defined.sort(key=lambda one: -one[0])
    last = None
    for value, row in defined:
        if last is not None and row["group"] != last:
            table.add_section()
        number, last = ("" if row["group"] == last else str(row["group"])), row["group"]
        ends = f"{row['ci'][0]:.3f} to {row['ci'][1]:.3f}" if row["ci"] else ""
        table.add_row(number, str(row["rank"]), row["metric"], f"{value:.3f}", ends)
    console.print(table)
    for row in result["metrics"]:
        if row["value"] is None:
            console.print(f"{row['metric']}: {row['reason']}", markup=False)
    console.print(
        f"n = {result['n']:,}; metrics of one group cannot be told apart (PERM-BOTH, "
        f"{result['draws']['perm-both']:,} draws, {result['adjusted_by']}, {result['alpha']}); "
        f"seed {asked['seed']}.",
        markup=False,
    )
