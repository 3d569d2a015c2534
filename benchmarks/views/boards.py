"""The board of metrics, as page, CSV and JSON, and the board of systems."""

from __future__ import annotations

import csv
import io
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse

from benchmarks import board_table
from benchmarks.forms import BoardQuery
from benchmarks.models import JudgmentSet
from benchmarks.plots import IntervalScale
from benchmarks.services import leaderboards
from benchmarks.stats.board import GROUPINGS
from benchmarks.views.access import find_set, set_page
from benchmarks.views.board_rows import arrange
from benchmarks.views.downloads import attachment

METRICS_AT_FIRST = 5


def leaderboard(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref)
    query = BoardQuery.read(request.GET)
    board = _board(judgment_set, query)
    context = {
        "tab": "leaderboard",
        "query": query,
        "groupings": GROUPINGS,
        "board": arrange(board, query),
        "total": len({row["run"] for row in board["rows"]}),
    }
    return set_page(
        request,
        "benchmarks/leaderboard.html",
        judgment_set,
        context,
        fragment="benchmarks/_board.html",
    )


def leaderboard_csv(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref)
    board = _board(judgment_set, BoardQuery.read(request.GET))
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(board_table.COLUMNS)
    writer.writerows(board_table.rows(board))
    response = HttpResponse(text.getvalue(), content_type="text/csv; charset=utf-8")
    return attachment(response, judgment_set, "leaderboard.csv")


def leaderboard_json(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref)
    response = JsonResponse(
        _board(judgment_set, BoardQuery.read(request.GET)),
        json_dumps_params={"ensure_ascii": False, "allow_nan": False, "indent": 1},
    )
    return attachment(response, judgment_set, "leaderboard.json")


def system_board(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref)
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
    }
    return set_page(request, "benchmarks/system_board.html", judgment_set, context)


def _board(judgment_set: JudgmentSet, query: dict[str, Any]) -> dict[str, Any]:
    by = None if query["by"] == "none" else query["by"]
    return leaderboards.leaderboard(judgment_set, by).to_json()


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
