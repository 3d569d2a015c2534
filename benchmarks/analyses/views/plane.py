"""The evaluation plane: which of AEv's metrics orders systems as people do."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from benchmarks.analyses import kinds
from benchmarks.analyses.forms import PlaneQuery
from benchmarks.analyses.views import analysis_state
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.views.access import find_set_on_criterion, set_page, set_view
from benchmarks.sets.views.attachments import attachment
from benchmarks.sets.views.pictures import picture
from concord.documents.plane import PlaneAnalysis
from concord.plots.grid import GridPlot, grid_plot
from core.accounts.roles import Role
from scorers.plane import ALPHAS, APPLICATIONS, GUIDELINES, ORDERS

LABELS = {
    "guideline": ("Raters were asked about", [("", "as suggested"), *((g, g) for g in GUIDELINES)]),
    "application": ("The texts are", [("", "as suggested"), *((a, a) for a in APPLICATIONS)]),
    "stems": ("Words", [("porter", "stemmed"), ("none", "as they are")]),
    "stops": ("Stop words", [("none", "kept"), ("closed-class", "left out")]),
    "level": ("Scores", [("set", "of a system's answers together"), ("item", "of each, averaged")]),
    "wordiness": ("Wordiness W", [(w, w) for w in ("1", "1.5", "2", "3", "inf")]),
    "penalty": ("Its penalty", [("intended", "as meant"), ("printed", "as printed")]),
    "flooded": ("Good answers", [("no", "as they are"), ("yes", "flooded")]),
}


@dataclass(frozen=True)
class PlaneCell:
    """A metric in the table of the grid; `value` is R squared."""

    value: float | None
    is_negative: bool
    ci: tuple[float, float] | None
    best: bool


@require_safe
def plane(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set_on_criterion(request, ref)
    query = PlaneQuery.read(request.GET)
    context = {
        "tab": "systems",
        "query": query,
        "fields": [
            {"name": name, "label": label, "choices": choices, "value": query[name]}
            for name, (label, choices) in LABELS.items()
        ],
        "form_names": list(LABELS),
        "query_string": urlencode(query),
        "compute_url": reverse("compute-plane", args=[str(judgment_set)]),
        "guidelines": GUIDELINES.values(),
        "applications": APPLICATIONS.values(),
        **_grid(judgment_set, query),
    }
    return set_page(
        request,
        "benchmarks/analyses/plane.html",
        judgment_set,
        context,
        fragment="benchmarks/analyses/_plane.html",
    )


@require_POST
@set_view(Role.EDITOR, on_criterion=True)
def compute_plane(request: HttpRequest, judgment_set: JudgmentSet) -> HttpResponse:
    parameters = PlaneQuery.read(request.POST)
    return analysis_state.start_or_stop(request, "plane", judgment_set, parameters, "plane")


@require_safe
def plane_file(request: HttpRequest, ref: str, extension: str) -> HttpResponse:
    """The grid as json, csv, svg or png."""
    judgment_set = find_set_on_criterion(request, ref)
    context = _grid(judgment_set, PlaneQuery.read(request.GET))
    if "grid" not in context:
        raise Http404("This grid is not computed yet. Start the computation on its page.")
    analysis, result = context["analysis"], context["result"]
    if extension == "json":
        document = {
            "judgment_set": judgment_set.name,
            "version": judgment_set.version,
            "content_hash": judgment_set.content_hash,
            "parameters": analysis.parameters,
            "date": analysis.finished_at.isoformat(timespec="seconds"),
            "alphas": ALPHAS,
            "orders": ORDERS,
            "result": result,
        }
        response: HttpResponse = JsonResponse(document, json_dumps_params={"indent": 1})
    elif extension == "csv":
        lines = ["alpha,n,r,r_squared,low,high,share_of_draws_best,indistinct_from_best"]
        for i, alpha in enumerate(ALPHAS):
            for k, n in enumerate(ORDERS):
                r = result["r"][i][k]
                cells = [alpha, n, r, None if r is None else r * r]
                cells += [result[name][i][k] for name in ("low", "high", "best_share")]
                cells.append(int(result["indistinct"][i][k]))
                lines.append(",".join("" if cell is None else str(cell) for cell in cells))
        response = HttpResponse("\n".join(lines) + "\n", content_type="text/csv; charset=utf-8")
    else:
        context |= {"judgment_set": judgment_set}
        template = "benchmarks/plots/plane.svg"
        return picture(request, judgment_set, template, context, "plane", extension)
    return attachment(response, judgment_set, f"plane.{extension}")


def _grid(judgment_set: JudgmentSet, query: dict[str, str]) -> dict[str, Any]:
    """The analysis and, if it is complete, its plot and its table."""
    context = analysis_state.analysis_context("plane", judgment_set, query)
    analysis = analysis_state.complete_analysis(context)
    if analysis is None:
        return context
    result = kinds.plane.KIND.result_of(analysis)
    rows = [
        {"alpha": alpha, "cells": [_cell(result, i, k) for k in range(len(ORDERS))]}
        for i, alpha in enumerate(ALPHAS)
    ]
    return context | {
        "result": result,
        "grid": _plot(result),
        "rows": rows,
        "orders": ORDERS,
        "indistinct": sum(map(sum, result["indistinct"])),
        "percent_within": result["predicted"] and result["predicted"]["share"],
    }


def _cell(result: PlaneAnalysis, i: int, k: int) -> PlaneCell:
    r, low, high = result["r"][i][k], result["low"][i][k], result["high"][i][k]
    return PlaneCell(
        value=None if r is None else r * r,
        is_negative=r is not None and r < 0,
        ci=None if low is None or high is None else (low, high),
        best=result["best"] is not None and result["best"]["place"] == [i, k],
    )


def _plot(result: PlaneAnalysis) -> GridPlot:
    nan = float("nan")
    r = result["r"]
    notes = [
        [
            ""
            if result["low"][i][k] is None
            else f"95% {result['low'][i][k]:.2f} to {result['high'][i][k]:.2f}"
            for k in range(len(ORDERS))
        ]
        for i in range(len(ALPHAS))
    ]
    best, predicted = result["best"], result["predicted"]
    region = predicted["places"] if predicted else None
    return grid_plot(
        [[nan if value is None else value * value for value in row] for row in r],
        ALPHAS,
        ORDERS,
        best=(best["place"][0], best["place"][1]) if best else None,
        predicted=(region[0], region[1], region[2], region[3]) if region else None,
        notes=notes,
        upside_down=[[value is not None and value < 0 for value in row] for row in r],
    )
