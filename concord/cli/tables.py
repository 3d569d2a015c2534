"""Boards and agreement as tables for a terminal."""

from __future__ import annotations

import json
from typing import TextIO

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from concord.documents.agreement import AgreementReport, AlphaRow, RatingsAlpha
from concord.documents.board import BoardDocument, BoardRow
from concord.documents.figures import FigureRow
from concord.documents.statistics import TrainingRow
from concord.filtering import Ledger
from concord.meta.table import COEFFICIENTS

# Width for output to a file or a pipe, enough for every column.
PIPE_WIDTH = 160


def print_board(board: BoardDocument, out: TextIO) -> None:
    """Print a board, one row per metric, best first, with the reasons of undefined figures
    below."""
    console = console_for(out)
    table = Table(title=_title(board), box=SIMPLE_HEAD, title_justify="left", pad_edge=False)
    names = [*([board.by] if board.by is not None else []), "metric", "n"]
    names += ["Pearson", "95% interval", "Spearman", "Kendall", "pairs", "items/s"]
    for name in names:
        table.add_column(name, justify="left" if name in ("metric", board.by) else "right")
    for row in board.rows:
        table.add_row(*_cells(row, board.by is not None))
    console.print(table)
    for metric, reason in _reasons(board.rows):
        console.print(f"{metric}: {reason}", markup=False)
    if board.weighted:
        console.print(
            "Correlations weigh by the unequal probabilities with which candidates were drawn."
        )
    if not board.rows:
        console.print("No metric has been scored yet: manage.py score NAME --metrics all --wait")


def print_agreement(report: AgreementReport, name: str, ledger: Ledger, out: TextIO) -> None:
    """Print an agreement report (`agreement_report`); `name` is the name of the data."""
    console = console_for(out)
    title = f"{name}: Krippendorff's alpha"
    table = new_table(title)
    table.add_column("ratings")
    for name in ("alpha", "95% interval", "level", "units", "ratings", "raters a unit"):
        table.add_column(name, justify="left" if name == "level" else "right")
    rows: list[AlphaRow] = [report]
    if ledger.steps:
        rows = [report["unfiltered"], report, report["null"]]
        table.add_row("all", *_agreement_cells(report["unfiltered"]))
        table.add_row("kept", *_agreement_cells(report))
        table.add_row("shuffled, kept", *_alpha_cells(report["null"]), "", "", "", "")
    else:
        table.add_row("all", *_agreement_cells(report))
    console.print(table)
    for step in ledger.steps:
        console.print(f"Left out: {step}.")
    if ledger.steps:
        kept_text = f"{report['kept']:,} kept, {report['kept_per_unit']:.2f} a unit"
        console.print(f"{report['removed']:,} ratings left out, {kept_text}.")
        console.print(report["sentence"], soft_wrap=True)
    for reason in dict.fromkeys(row["reason"] for row in rows if "reason" in row):
        console.print(f"Undefined: {reason}.")
    for notice in report.get("notices", ()):
        console.print(f"Note: {notice}.")


def _alpha_cells(row: AlphaRow) -> list[str]:
    value, ends = row["alpha"], row["ci"]
    cells = ["undefined" if value is None else f"{value:.3f}"]
    return [*cells, "" if ends is None else f"{ends[0]:.3f} to {ends[1]:.3f}"]


def _agreement_cells(row: RatingsAlpha) -> list[str]:
    per_unit = row["raters_per_unit"]
    cells = [*_alpha_cells(row), row["level"], f"{row['units']:,}", f"{row['ratings']:,}"]
    return [*cells, "" if per_unit is None else f"{per_unit:.2f}"]


def print_json(document: object) -> None:
    """Print a document as JSON on standard output; NaN is an error."""
    print(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False))


def new_table(title: str) -> Table:
    """A table in the style of all commands, without columns."""
    return Table(
        title=escape(title),
        box=SIMPLE_HEAD,
        title_justify="left",
        pad_edge=False,
        min_width=min(len(title), 100),
    )


def dollars(cents: int) -> str:
    """An amount of cents, such as "$1,234.50"."""
    return f"${cents / 100:,.2f}"


def console_for(out: TextIO) -> Console:
    """A console without highlighting, with PIPE_WIDTH where the output is not a terminal."""
    console = Console(file=out, highlight=False)
    return console if console.is_terminal else Console(file=out, highlight=False, width=PIPE_WIDTH)


def _title(board: BoardDocument) -> str:
    mark = " (illustrative: written to show how Concord works)" if board.illustrative else ""
    version = "" if board.version is None else f"@{board.version}"
    return f"{board.judgment_set}{version}: {board.n:,} candidates{mark}"


def _cells(row: BoardRow, grouped: bool) -> list[str]:
    metric = row["metric"] if row["multi_ref"] == "max" else f"{row['metric']} (joint)"
    metric += _training_suffix(row.get("training"))
    pearson = row["pearson"]
    interval = pearson.get("ci")
    pairs = row["pairs"]
    speed = row["items_per_second"]
    cells = [row["group"] or ""] if grouped else []
    cells += [metric, f"{row['n']:,}", _number(pearson)]
    cells += ["" if interval is None else f"{interval[0]:.3f} to {interval[1]:.3f}"]
    cells += [_number(row["spearman"]), _number(row["kendall"])]
    cells += ["" if pairs["accuracy"] is None else f"{pairs['accuracy']:.3f}"]
    return [*cells, "" if speed is None else f"{speed:,.0f}"]


def _training_suffix(training: TrainingRow | None) -> str:
    """The suffix of a trained metric's name."""
    if training is None:
        return ""
    if not training["known"]:
        return " [training data unknown]"
    share = training["share"]
    trained = f", trained on {max(share, 0.01):.0%} of these" if share else ""
    return f" [{training['setting']}{trained}]"


def _number(figure: FigureRow) -> str:
    return "undefined" if figure["value"] is None else f"{figure['value']:.3f}"


def _reasons(rows: list[BoardRow]) -> list[tuple[str, str]]:
    """(metric, reason) of undefined figures without duplicates, in the order of the rows."""
    reasons = {
        (row["metric"], row[name]["reason"]): None
        for row in rows
        for name in COEFFICIENTS
        if row[name]["value"] is None
    }
    return list(reasons)
