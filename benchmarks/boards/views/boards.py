"""The board of metrics, as page, CSV and JSON, and the board of systems."""

from __future__ import annotations

import csv
import io
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from benchmarks.analyses import leaderboards
from benchmarks.boards.forms import COLUMNS, BoardQuery
from benchmarks.boards.services import standings
from benchmarks.boards.views.board_rows import arrange
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.views.access import find_set, set_page
from benchmarks.sets.views.attachments import attachment
from concord.meta import table as board_table
from concord.meta.board import GROUPINGS
from concord.plots import IntervalScale

METRICS_AT_FIRST = 5
SYSTEM_FIGURES = (
    "pearson",
    "spearman",
    "kendall_b",
    "r_squared",
    "pairwise_accuracy",
    "soft_pairwise",
)


@require_safe
def leaderboard(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    query = BoardQuery.read(request.GET)
    board = _board(judgment_set, query)
    context = {
        "tab": "leaderboard",
        "query": query,
        "groupings": GROUPINGS,
        "board": arrange(board, query),
        "columns": _columns(board, query),
        "all_columns": COLUMNS.items(),
        "kept": [
            (name, value)
            for name in ("by", "group", "sort", "direction", "metric")
            if (value := query[name])
        ],
        "total": len({row["run"] for row in board["rows"]}),
    }
    return set_page(
        request,
        "benchmarks/boards/leaderboard.html",
        judgment_set,
        context,
        fragment="benchmarks/boards/_board.html",
    )


def _columns(board: dict[str, Any], query: dict[str, Any]) -> list[str]:
    """The columns asked for; where none were, those in which any row has something."""
    if query["columns"]:
        chosen: list[str] = query["columns"]
        return chosen
    known = {
        "ceiling": any((row["standing"] or {}).get("relative") for row in board["rows"]),
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
    judgment_set = find_set(ref, request.user)
    board = _board(judgment_set, BoardQuery.read(request.GET))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(board_table.COLUMNS)
    writer.writerows(board_table.rows(board))
    response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    return attachment(response, judgment_set, "leaderboard.csv")


@require_safe
def leaderboard_json(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    response = JsonResponse(
        _board(judgment_set, BoardQuery.read(request.GET)),
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
    humans = [row["human"] for row in board["systems"] if row["human"]["value"] is not None]
    low, high = judgment_set.scale_low, judgment_set.scale_high
    if low is not None and high is not None:
        scale = IntervalScale.over(low, high)
    else:
        ends = (tuple(human.get("ci") or [human["value"]] * 2) for human in humans)
        scale = IntervalScale.holding(ends, zero=False)
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
    result = found.result or {}
    rows = [
        row | {"cells": [row[name] for name in (*SYSTEM_FIGURES, "tie_calibrated")]}
        for row in result["metrics"]
    ]
    rows.sort(
        key=lambda row: (
            row["soft_pairwise"]["value"] is None,
            -(row["soft_pairwise"]["value"] or 0.0),
        )
    )
    return {"over_systems": result | {"metrics": rows}, "systems_analysis": found}


def _board(judgment_set: JudgmentSet, query: dict[str, Any]) -> dict[str, Any]:
    by = None if query["by"] == "none" else query["by"]
    return standings.board(judgment_set, by, query["group"], query["sort"])


def _system_rows(
    systems: list[dict[str, Any]], chosen: list[dict[str, Any]], scale: IntervalScale
) -> list[dict[str, Any]]:
    """A row a system, best by people first, with its place by each chosen metric."""
    places = {about["run"]: _places(systems, about) for about in chosen}
    rows = []
    for at, row in enumerate(systems, start=1):
        human = row["human"]
        mark = None
        if human["value"] is not None:
            mark = scale.mark(human["value"], human.get("ci") and tuple(human["ci"]))
        cells = [
            {
                **row["metrics"][about["run"]],
                "place": places[about["run"]].get(row["system"]),
            }
            for about in chosen
        ]
        rows.append({**row, "place": at if mark else None, "mark": mark, "cells": cells})
    return rows


def _places(systems: list[dict[str, Any]], about: dict[str, Any]) -> dict[str, int]:
    """Each system's place by a metric's mean, best 1; those without a mean have none."""
    means = {row["system"]: row["metrics"][about["run"]]["mean"]["value"] for row in systems}
    known = sorted(
        (mean for mean in means.values() if mean is not None), reverse=about["higher_is_better"]
    )
    return {system: known.index(mean) + 1 for system, mean in means.items() if mean is not None}
