"""The evaluation plane: which of AEv's metrics orders systems as people do."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.utils.http import urlencode

from benchmarks.analyses.kinds.plane.computation import PlaneAnalysis
from benchmarks.analyses.page import AnalysisPage, Context, FormField, Opened
from benchmarks.sets.services import hidden
from benchmarks.sets.views.attachments import attachment
from benchmarks.sets.views.pictures import picture
from concord.documents.conversion import to_json
from concord.plots.grid import GridPlot, grid_plot
from scorers.plane.grid import ALPHAS, ORDERS
from scorers.plane.position import APPLICATIONS, GUIDELINES

FORM = (
    FormField(
        "guideline",
        "Raters were asked about",
        [("", "as suggested"), *((g, g) for g in GUIDELINES)],
    ),
    FormField(
        "application", "The texts are", [("", "as suggested"), *((a, a) for a in APPLICATIONS)]
    ),
    FormField("stems", "Words", [("porter", "stemmed"), ("none", "as they are")]),
    FormField("stops", "Stop words", [("none", "kept"), ("closed-class", "left out")]),
    FormField(
        "level",
        "Scores",
        [("set", "of a system's answers together"), ("item", "of each, averaged")],
    ),
    FormField("wordiness", "Wordiness W", [(w, w) for w in ("1", "1.5", "2", "3", "inf")]),
    FormField("penalty", "Its penalty", [("intended", "as meant"), ("printed", "as printed")]),
    FormField("flooded", "Good answers", [("no", "as they are"), ("yes", "flooded")]),
)


@dataclass(frozen=True)
class PlaneCell:
    """A metric in the table of the grid; `value` is R squared."""

    value: float | None
    is_negative: bool
    ci: tuple[float, float] | None
    best: bool


def plane_file(opened: Opened, context: Context, name: str, extension: str) -> HttpResponseBase:
    """The grid as json, csv, svg or png."""
    if "grid" not in context:
        raise Http404("This grid is not computed yet. Start the computation on its page.")
    judgment_set = opened.judgment_set
    analysis, result = context["analysis"], context["result"]
    if extension == "json":
        document = {
            "judgment_set": judgment_set.name,
            "version": judgment_set.version,
            "content_hash": hidden.content_hash(judgment_set),
            "parameters": analysis.parameters,
            "date": analysis.finished_at.isoformat(timespec="seconds"),
            "alphas": ALPHAS,
            "orders": ORDERS,
            "result": to_json(result),
        }
        response: HttpResponse = JsonResponse(document, json_dumps_params={"indent": 1})
    elif extension == "csv":
        lines = ["alpha,n,r,r_squared,low,high,share_of_draws_best,indistinct_from_best"]
        for i, alpha in enumerate(ALPHAS):
            for k, n in enumerate(ORDERS):
                r = result.r[i][k]
                cells = [alpha, n, r, None if r is None else r * r]
                cells += [one[i][k] for one in (result.low, result.high, result.best_share)]
                cells.append(int(result.indistinct[i][k]))
                lines.append(",".join("" if cell is None else str(cell) for cell in cells))
        response = HttpResponse("\n".join(lines) + "\n", content_type="text/csv; charset=utf-8")
    else:
        context |= {"judgment_set": judgment_set}
        template = "benchmarks/plots/plane.svg"
        return picture(opened.request, judgment_set, template, context, "plane", extension)
    return attachment(response, judgment_set, f"plane.{extension}")


def beside(opened: Opened) -> Context:
    """The positions that people may choose."""
    return {
        "guidelines": GUIDELINES.values(),
        "applications": APPLICATIONS.values(),
        "query_string": urlencode(opened.query),
    }


def arrange(opened: Opened, result: PlaneAnalysis) -> Context:
    """The plot and the table of the grid."""
    rows = [
        {"alpha": alpha, "cells": [_cell(result, i, k) for k in range(len(ORDERS))]}
        for i, alpha in enumerate(ALPHAS)
    ]
    return {
        "grid": _plot(result),
        "rows": rows,
        "orders": ORDERS,
        "indistinct": sum(map(sum, result.indistinct)),
        "percent_within": result.predicted and result.predicted.share,
    }


def _cell(result: PlaneAnalysis, i: int, k: int) -> PlaneCell:
    r, low, high = result.r[i][k], result.low[i][k], result.high[i][k]
    return PlaneCell(
        value=None if r is None else r * r,
        is_negative=r is not None and r < 0,
        ci=None if low is None or high is None else (low, high),
        best=result.best is not None and result.best.place == (i, k),
    )


def _plot(result: PlaneAnalysis) -> GridPlot:
    nan = float("nan")
    r = result.r
    notes = [
        [
            ""
            if result.low[i][k] is None
            else f"95% {result.low[i][k]:.2f} to {result.high[i][k]:.2f}"
            for k in range(len(ORDERS))
        ]
        for i in range(len(ALPHAS))
    ]
    best, predicted = result.best, result.predicted
    return grid_plot(
        [[nan if value is None else value * value for value in row] for row in r],
        ALPHAS,
        ORDERS,
        best=best.place if best else None,
        predicted=predicted.places if predicted else None,
        notes=notes,
        upside_down=[[value is not None and value < 0 for value in row] for row in r],
    )


PAGE = AnalysisPage(
    name="plane",
    in_tab="systems",
    form=FORM,
    beside=beside,
    arrange=arrange,
    starts=False,
    file_path="plane.<slug:extension>",
    file=plane_file,
)
