"""The board of metrics, as page, CSV and JSON, and the board of systems."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.timezone import now
from django.views.decorators.http import require_safe

from benchmarks.analyses import documents, leaderboards, tasks
from benchmarks.analyses.models import Analysis
from benchmarks.boards.forms import COLUMNS, BoardOptions, board_options
from benchmarks.boards.services import standings
from benchmarks.boards.views.board_rows import arrange
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.views.access import find_set, set_page
from benchmarks.sets.views.attachments import attachment
from concord.meta import table as board_table
from concord.meta.board import GROUPINGS
from concord.meta.documents.board import Board, RunRow
from concord.meta.documents.figures import FigureRow
from concord.meta.documents.system_board import SystemBoardRow
from concord.meta.documents.systems import SystemsRow
from concord.plots import IntervalMark, IntervalScale
from core.pages.sending import send

METRICS_AT_FIRST = 5
# Parts of the query that the board's form sends on.
KEPT: tuple[Literal["by", "group", "sort", "direction", "metric"], ...] = (
    "by",
    "group",
    "sort",
    "direction",
    "metric",
)


@dataclass(frozen=True)
class SystemMean:
    """A metric's mean over a system, its corpus-level value, and the system's place by the mean."""

    mean: FigureRow
    corpus: float | None
    place: int | None


@dataclass(frozen=True)
class RankedSystem:
    """A system on the board of systems: its place by people, and its mean by each metric."""

    row: SystemBoardRow
    place: int | None
    mark: IntervalMark | None
    cells: list[SystemMean]


@dataclass(frozen=True)
class SystemFigures:
    """A metric over systems; `cells` are its figures in the order of the columns."""

    row: SystemsRow
    cells: list[FigureRow]


@require_safe
def leaderboard(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    query = board_options(request.GET)
    board, awaited = _board(request, judgment_set, query)
    context = {
        "tab": "leaderboard",
        "awaited": awaited,
        "query": query,
        "groupings": GROUPINGS,
        "board": arrange(board, query),
        "columns": _columns(board, query),
        "all_columns": COLUMNS.items(),
        "kept": [(name, value) for name in KEPT if (value := query[name])],
        "total": len({row["run"] for row in board["rows"]}),
    }
    return set_page(
        request,
        "benchmarks/boards/leaderboard.html",
        judgment_set,
        context,
        fragment="benchmarks/boards/_board.html",
    )


def _columns(board: Board, query: BoardOptions) -> list[str]:
    """The columns asked for; where none were, those in which any row has something."""
    if query["columns"]:
        return query["columns"]
    known = {
        "ceiling": any(row["standing"] and row["standing"]["relative"] for row in board["rows"]),
        "pairs": any(row["pairs"]["n"] for row in board["rows"]),
        "f1": any(
            row["correctness"] and row["correctness"]["f1"]["value"] is not None
            for row in board["rows"]
        ),
        "systems": any(
            row["systems"] and row["systems"]["kendall_b"]["value"] is not None
            for row in board["rows"]
        ),
    }
    return [name for name in COLUMNS if known.get(name, True)]


@require_safe
def leaderboard_csv(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set, query = find_set(ref, request.user), board_options(request.GET)
    board, _ = _board(request, judgment_set, query)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(board_table.COLUMNS)
    writer.writerows(board_table.table_rows(board))
    response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    return attachment(response, judgment_set, "leaderboard.csv")


@require_safe
def leaderboard_json(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set, query = find_set(ref, request.user), board_options(request.GET)
    board, _ = _board(request, judgment_set, query)
    response = JsonResponse(
        board,
        json_dumps_params={"ensure_ascii": False, "allow_nan": False, "indent": 1},
    )
    return attachment(response, judgment_set, "leaderboard.json")


@require_safe
def system_board(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    board = leaderboards.system_board(judgment_set)
    asked = {int(pk) for pk in request.GET.getlist("run") if pk.isascii() and pk.isdigit()}
    chosen = [about for about in board["metrics"] if about["run"] in asked]
    if not asked:
        best = [row["run"] for row in leaderboards.leaderboard(judgment_set).rows]
        by_run = {about["run"]: about for about in board["metrics"]}
        chosen = [by_run[run] for run in best if run in by_run][:METRICS_AT_FIRST]
    low, high = judgment_set.scale_low, judgment_set.scale_high
    if low is not None and high is not None:
        scale = IntervalScale.from_range(low, high)
    else:
        humans = [row["human"] for row in board["systems"]]
        ends = [h.get("ci") or [value] for h in humans if (value := h["value"]) is not None]
        scale = IntervalScale.from_intervals(ends, zero=False)
    context = {
        "tab": "systems",
        "metrics": board["metrics"],
        "chosen": chosen,
        "chosen_runs": {about["run"] for about in chosen},
        "scale": scale,
        "rows": _system_rows(board["systems"], chosen, scale),
        **_over_systems(judgment_set),
    }
    return set_page(request, "benchmarks/boards/system_board.html", judgment_set, context)


def _over_systems(judgment_set: JudgmentSet) -> dict[str, Any]:
    """Agreement over systems, metrics in the order of soft pairwise accuracy; {} if not there."""
    found = standings.answered("systems", judgment_set, {})
    if found is None:
        return {}
    result = documents.systems(found)
    rows = [SystemFigures(row, _system_figures(row)) for row in result["metrics"]]
    rows.sort(
        key=lambda one: (
            one.row["soft_pairwise"]["value"] is None,
            -(one.row["soft_pairwise"]["value"] or 0.0),
        )
    )
    return {"over_systems": result, "over_systems_rows": rows, "systems_analysis": found}


def _system_figures(row: SystemsRow) -> list[FigureRow]:
    """In the order of the table's columns."""
    return [
        row["pearson"],
        row["spearman"],
        row["kendall_b"],
        row["r_squared"],
        row["pairwise_accuracy"],
        row["soft_pairwise"],
        row["tie_calibrated"],
    ]


def _board(
    request: HttpRequest, judgment_set: JudgmentSet, query: BoardOptions
) -> tuple[Board, list[Analysis]]:
    """The board, and its analyses that a worker computes; tasks are sent for those that are new."""
    by, at = None if query["by"] == "none" else query["by"], now()
    board, awaited = standings.board_awaiting(
        judgment_set, by, query["group"], query["sort"], ask_at=at
    )
    for analysis in awaited:
        if analysis.created_at == at:
            send(request, partial(tasks.compute_analysis.delay, analysis.pk))
    return board, awaited


def _system_rows(
    systems: list[SystemBoardRow], chosen: list[RunRow], scale: IntervalScale
) -> list[RankedSystem]:
    """A row a system, best by people first, with its place by each chosen metric."""
    places = {about["run"]: _places(systems, about) for about in chosen}
    rows: list[RankedSystem] = []
    for at, row in enumerate(systems, start=1):
        human = row["human"]
        mark = None
        if human["value"] is not None:
            mark = scale.mark(human["value"], human.get("ci"))
        cells = [
            SystemMean(**row["metrics"][run], place=by_metric.get(row["system"]))
            for run, by_metric in places.items()
        ]
        rows.append(RankedSystem(row, at if mark else None, mark, cells))
    return rows


def _places(systems: list[SystemBoardRow], about: RunRow) -> dict[str, int]:
    """Each system's place by a metric's mean, best 1; those without a mean have none."""
    means = {row["system"]: row["metrics"][about["run"]]["mean"]["value"] for row in systems}
    known = sorted(
        (mean for mean in means.values() if mean is not None), reverse=about["higher_is_better"]
    )
    return {system: known.index(mean) + 1 for system, mean in means.items() if mean is not None}
