"""Boards and agreement as tables for a terminal."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TextIO, cast

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from concord.documents.agreement import (
    AgreementReport,
    AlphaRow,
    RatingsAgreement,
    RatingsAlpha,
)
from concord.documents.board import BoardDocument, BoardRow
from concord.documents.conversion import to_json
from concord.documents.figures import FigureRow
from concord.documents.statistics import TrainingRow
from concord.filtering import Ledger
from concord.inference import Estimate
from concord.meta.table import COEFFICIENTS
from concord.metrics.signature import variant_suffix
from concord.reliability.coefficients import coefficient_names
from concord.sentences import counted, decimal, interval_notes, interval_text

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
        table.add_row(*_cells(row, board))
    console.print(table)
    if any(row["pearson"].get("ci") for row in board.rows):
        console.print("95% intervals: jackknife over passages.")
    for reason in filter(None, dict.fromkeys(_no_interval(row) for row in board.rows)):
        console.print(f"No interval: {reason}.", markup=False, soft_wrap=True)
    for metric, reason in _reasons(board.rows):
        console.print(f"{metric}: {reason}", markup=False)
    if board.weighted:
        console.print(
            "Correlations weigh by the unequal probabilities with which candidates were drawn."
        )
    judged = [row["n"] for row in board.rows] if board.by is None else []
    if judged and max(judged) < board.n:
        console.print(
            f"{board.n - max(judged):,} of {counted(board.n, 'candidate')} without a human "
            "score left out."
        )
    if not board.rows:
        console.print("There is no metric.")


def print_agreement(report: AgreementReport, name: str, ledger: Ledger, out: TextIO) -> None:
    """Print an agreement report (`agreement_report`); `name` is the name of the data."""
    console = console_for(out)
    title = f"{name}: Krippendorff's alpha"
    table = new_table(title)
    table.add_column("ratings")
    for name in ("alpha", "95% interval", "level", "units", "ratings", "raters a unit"):
        table.add_column(name, justify="left" if name == "level" else "right")
    rows: list[RatingsAgreement] = [report]
    if ledger.steps:
        rows = [report["unfiltered"], report]
        table.add_row("all", *_agreement_cells(report["unfiltered"]))
        table.add_row("kept", *_agreement_cells(report))
        table.add_row("shuffled, kept", *_alpha_cells(report["null"]), "", "", "", "")
    else:
        table.add_row("all", *_agreement_cells(report))
    console.print(table)
    console.print(_coefficients(rows))
    for step in ledger.steps:
        console.print(f"Left out: {step}.")
    if ledger.steps:
        alone = report["kept"] - report["ratings"]
        console.print(
            f"{counted(report['removed'], 'rating')} left out, {report['kept']:,} kept, "
            f"{decimal(report['kept_per_unit'], 2)} a unit. Alpha counts {report['ratings']:,} "
            "of them: "
            f"{alone:,} are alone in their unit.",
            soft_wrap=True,
        )
        console.print(report["sentence"], soft_wrap=True)
        console.print("The interval of shuffled ratings holds 95% of the shuffles.")
    for line in dict.fromkeys(line for row in rows for line in _interval_lines(row)):
        console.print(line, soft_wrap=True)
    if ledger.steps and (reason := report["null"].get("reason")):
        console.print(f"Undefined: {reason}.")
    for note in report["notes"]:
        console.print(note, markup=False, soft_wrap=True)
    for notice in report.get("notices", ()):
        console.print(f"Note: {notice}.")


def _coefficients(rows: Sequence[RatingsAgreement]) -> Table:
    """The coefficients beside alpha, in a column for each row."""
    table = new_table("Beside alpha")
    table.add_column("coefficient")
    for name in ("all", "kept")[: len(rows)]:
        table.add_column(name, justify="right")
    for key, name in coefficient_names(rows[0]["level"]).items():
        table.add_row(name, *(_coefficient(cast(Mapping[str, Any], row)[key]) for row in rows))
    return table


def _coefficient(figure: FigureRow) -> str:
    reason = figure.get("reason", "")
    return f"undefined: {reason}" if figure["value"] is None else decimal(figure["value"])


def _interval_lines(row: RatingsAlpha) -> list[str]:
    """Why alpha or its interval is undefined, and how many resamples were left out."""
    if row["alpha"] is None:
        return [f"Undefined: {row['reason']}."] if "reason" in row else []
    return interval_notes(row, "alpha")


def _alpha_cells(row: AlphaRow) -> list[str]:
    return [decimal(row["alpha"]), interval_text(row["ci"])]


def _agreement_cells(row: RatingsAlpha) -> list[str]:
    per_unit = row["raters_per_unit"]
    cells = [*_alpha_cells(row), row["level"], f"{row['units']:,}", f"{row['ratings']:,}"]
    return [*cells, "" if per_unit is None else decimal(per_unit, 2)]


def figure_cells(figure: Estimate, sign: str = "") -> list[str]:
    """A figure and its 95% interval; sign: "+" for a difference."""
    return [decimal(figure.value, 3, sign), interval_text(figure.ci, 3, sign)]


def print_json(result: object) -> None:
    """Print a result, or a document, as JSON on standard output. Raises ValueError, which names the
    fields, for numbers that are not finite."""
    document = to_json(result)
    if fields := list(_infinite_fields(document, "")):
        raise ValueError(
            f"no finite number can be computed for {', '.join(fields)}: values of the file are too "
            "large or too small"
        )
    print(json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False))


def _infinite_fields(value: object, path: str) -> Iterator[str]:
    """The paths of numbers that are not finite."""
    if isinstance(value, float) and not math.isfinite(value):
        yield path
    elif isinstance(value, Mapping):
        for name, part in value.items():
            yield from _infinite_fields(part, f"{path}.{name}" if path else str(name))
    elif isinstance(value, list | tuple):
        for position, part in enumerate(value):
            yield from _infinite_fields(part, f"{path}[{position}]")


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
    console = _Console(file=out, highlight=False)
    return console if console.is_terminal else _Console(file=out, highlight=False, width=PIPE_WIDTH)


class _Console(Console):
    """A console whose broken pipe is an error: `concord.pipes` handles it."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError


def _title(board: BoardDocument) -> str:
    mark = " (illustrative: written to show how Concord works)" if board.illustrative else ""
    version = "" if board.version is None else f"@{board.version}"
    return f"{board.judgment_set}{version}: {counted(board.n, 'candidate')}{mark}"


def _cells(row: BoardRow, board: BoardDocument) -> list[str]:
    metric = row["metric"] if row["multi_ref"] == "max" else f"{row['metric']} (joint)"
    metric += variant_suffix(row["signature"]) + _training_suffix(row.get("training"))
    pearson = row["pearson"]
    pairs = row["pairs"]
    speed = row["items_per_second"]
    cells = [row["group"] or ""] if board.by is not None else []
    cells += [metric, f"{row['n']:,}", _number(pearson), interval_text(pearson.get("ci"))]
    cells += [_number(row["spearman"]), _number(row["kendall"])]
    cells += ["" if pairs["accuracy"] is None else decimal(pairs["accuracy"])]
    return [*cells, "" if speed is None else f"{speed:,.0f}"]


def _no_interval(row: BoardRow) -> str:
    return row["pearson"].get("no_interval", "")


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
    return decimal(figure["value"])


def _reasons(rows: list[BoardRow]) -> list[tuple[str, str]]:
    """(metric, reason) of undefined figures without duplicates, in the order of the rows."""
    reasons = {
        (row["metric"], row[name]["reason"]): None
        for row in rows
        for name in COEFFICIENTS
        if row[name]["value"] is None
    }
    return list(reasons)
