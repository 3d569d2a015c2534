"""Boards as tables for a terminal."""

from __future__ import annotations

from typing import Any, TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from benchmarks.models import Analysis

COEFFICIENTS = ("pearson", "spearman", "kendall")
# Wide enough for every column when the output is a file or a pipe, which have no width.
PIPE_WIDTH = 160


def print_board(board: dict[str, Any], out: TextIO) -> None:
    """Print a board (`Board.to_json()`), one row a metric, best first, reasons underneath."""
    console = _console(out)
    table = Table(title=_title(board), box=SIMPLE_HEAD, title_justify="left", pad_edge=False)
    grouped = board["by"] is not None
    names = [*([board["by"]] if grouped else []), "metric", "n"]
    names += ["Pearson", "95% interval", "Spearman", "Kendall", "pairs", "items/s"]
    for name in names:
        table.add_column(name, justify="left" if name in ("metric", board["by"]) else "right")
    for row in board["rows"]:
        table.add_row(*_cells(row, grouped))
    console.print(table)
    for metric, reason in _reasons(board["rows"]):
        console.print(f"{metric}: {reason}", markup=False)
    if not board["rows"]:
        console.print("No metric has been scored yet: manage.py score NAME --metrics all --wait")


def print_comparison(analysis: Analysis, out: TextIO) -> None:
    """Print an agreement analysis, best first, with a line between rank groups."""
    result, asked = analysis.result or {}, analysis.parameters
    console = _console(out)
    table = Table(title=str(analysis.judgment_set), box=SIMPLE_HEAD, title_justify="left")
    for name in ("group", "rank", "metric", asked["coefficient"], "95% interval"):
        table.add_column(name, justify="left" if name == "metric" else "right")
    defined = [row for row in result["metrics"] if row["value"] is not None]
    defined.sort(key=lambda row: -row["value"])
    last = None
    for row in defined:
        if last is not None and row["group"] != last:
            table.add_section()
        number, last = ("" if row["group"] == last else str(row["group"])), row["group"]
        ends = f"{row['ci'][0]:.3f} to {row['ci'][1]:.3f}" if row["ci"] else ""
        table.add_row(number, str(row["rank"]), row["metric"], f"{row['value']:.3f}", ends)
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


def _console(out: TextIO) -> Console:
    console = Console(file=out, highlight=False)
    return console if console.is_terminal else Console(file=out, highlight=False, width=PIPE_WIDTH)


def _title(board: dict[str, Any]) -> str:
    mark = " (illustrative: written to show how Concord works)" if board["illustrative"] else ""
    return f"{board['judgment_set']}@{board['version']}: {board['n']:,} candidates{mark}"


def _cells(row: dict[str, Any], grouped: bool) -> list[str]:
    metric = row["metric"] if row["multi_ref"] == "max" else f"{row['metric']} (joint)"
    metric += _trained(row.get("training"))
    pearson = row["pearson"]
    interval = pearson.get("ci")
    pairs = row["pairs"]
    speed = row["items_per_second"]
    cells = [row["group"] or ""] if grouped else []
    cells += [metric, f"{row['n']:,}", _number(pearson)]
    cells += ["" if interval is None else f"{interval[0]:.3f} to {interval[1]:.3f}"]
    cells += [_number(row["spearman"]), _number(row["kendall"])]
    cells += ["" if pairs.get("accuracy") is None else f"{pairs['accuracy']:.3f}"]
    return [*cells, "" if speed is None else f"{speed:,.0f}"]


def _trained(training: dict[str, Any] | None) -> str:
    """What stands behind the name of a metric that was trained on judgments."""
    if training is None:
        return ""
    if not training["known"]:
        return " [training data unknown]"
    share = training["share"]
    trained = f", trained on {max(share, 0.01):.0%} of these" if share else ""
    return f" [{training['setting']}{trained}]"


def _number(figure: dict[str, Any]) -> str:
    return "undefined" if figure["value"] is None else f"{figure['value']:.3f}"


def _reasons(rows: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Each reason once for each metric, in the order of the rows."""
    found = {
        (row["metric"], row[name]["reason"]): None
        for row in rows
        for name in COEFFICIENTS
        if row[name]["value"] is None
    }
    return list(found)
