"""Boards and agreement as tables for a terminal."""

from __future__ import annotations

from typing import Any, TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from concord.filtering import Ledger

COEFFICIENTS = ("pearson", "spearman", "kendall")
# Wide enough for every column when the output is a file or a pipe, which have no width.
PIPE_WIDTH = 160


def print_board(board: dict[str, Any], out: TextIO) -> None:
    """Print a board (`Board.to_json()`), one row a metric, best first, reasons underneath."""
    console = console_for(out)
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


def print_agreement(report: dict[str, Any], name: str, ledger: Ledger, out: TextIO) -> None:
    """Print an agreement report (`agreement_report`) under the name of what was rated."""
    console = console_for(out)
    title = f"{name}: Krippendorff's alpha"
    table = Table(title=escape(title), box=SIMPLE_HEAD, title_justify="left", pad_edge=False)
    table.add_column("ratings")
    for name in ("alpha", "95% interval", "level", "units", "ratings", "raters a unit"):
        table.add_column(name, justify="left" if name == "level" else "right")
    rows = [("all", report)]
    if ledger.steps:
        rows = [("all", report["unfiltered"]), ("kept", report), ("shuffled, kept", report["null"])]
    for name, row in rows:
        table.add_row(name, *_agreement_cells(row))
    console.print(table)
    for step in ledger.steps:
        console.print(f"Left out: {step}.")
    if ledger.steps:
        kept = f"{report['kept']:,} kept, {report['kept_per_unit']:.2f} a unit"
        console.print(f"{report['removed']:,} ratings left out, {kept}.")
        console.print(report["sentence"], soft_wrap=True)
    for reason in dict.fromkeys(row["reason"] for _, row in rows if "reason" in row):
        console.print(f"Undefined: {reason}.")
    for notice in report.get("notices", ()):
        console.print(f"Note: {notice}.")


def _agreement_cells(row: dict[str, Any]) -> list[str]:
    value, ends = row["alpha"], row["ci"]
    cells = ["undefined" if value is None else f"{value:.3f}"]
    cells += ["" if ends is None else f"{ends[0]:.3f} to {ends[1]:.3f}"]
    if "units" not in row:
        return [*cells, "", "", "", ""]
    per_unit = row["raters_per_unit"]
    cells += [row["level"], f"{row['units']:,}", f"{row['ratings']:,}"]
    return [*cells, "" if per_unit is None else f"{per_unit:.2f}"]


def console_for(out: TextIO) -> Console:
    """A console without colours of its own, wide enough where the output has no width."""
    console = Console(file=out, highlight=False)
    return console if console.is_terminal else Console(file=out, highlight=False, width=PIPE_WIDTH)


def _title(board: dict[str, Any]) -> str:
    mark = " (illustrative: written to show how Concord works)" if board["illustrative"] else ""
    version = "" if board["version"] is None else f"@{board['version']}"
    return f"{board['judgment_set']}{version}: {board['n']:,} candidates{mark}"


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
