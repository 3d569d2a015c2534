"""Minimal pairs by phenomenon, with what a metric says of each."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse

from benchmarks.forms import PairsQuery
from benchmarks.models import JudgmentSet
from benchmarks.plots import MatrixPlot, matrix_plot
from benchmarks.services import browsing, hidden, pair_tests
from benchmarks.views.access import find_complete_run, find_set, set_page

PAIRS_A_PAGE = 50
LEVELS = (0.001, 0.01, 0.05)


def minimal_pairs(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    query = PairsQuery.read(request.GET)
    run = find_complete_run(judgment_set, query["run"]) if query["run"] else None
    phenomenon = query["phenomenon"] or None
    found = browsing.verdicts(judgment_set, run, phenomenon=phenomenon)
    tally = {name: sum(one.verdict == name for one in found) for name in ("right", "tie", "wrong")}
    if run is not None and query["verdict"] != "all":
        found = [one for one in found if one.verdict == query["verdict"]]
    context = {
        "tab": "pairs",
        "query": query,
        "run": run,
        "runs": browsing.complete_runs(judgment_set),
        "phenomena": browsing.phenomena(judgment_set),
        "tally": tally,
        "compared": _compared(judgment_set, query["phenomenon"]),
        "n_hidden": int(hidden.of(judgment_set).pairs.sum()),
        "page": Paginator(found, PAIRS_A_PAGE).get_page(query["page"]),
    }
    return set_page(request, "benchmarks/minimal_pairs.html", judgment_set, context)


def _compared(judgment_set: JudgmentSet, phenomenon: str) -> dict[str, Any] | None:
    """Every two metrics on these pairs as a matrix to hover and as rows."""
    found = pair_tests.compared(judgment_set, phenomenon)
    if found is None:
        return None
    names = [name + (" joint" if way == "joint" else "") for _, name, way in found["metrics"]]
    rows = [
        {"one": names[i], "other": names[j], "delta": share - other, "p": found["p"][i][j]}
        for i, share in enumerate(found["accuracies"])
        for j, other in enumerate(found["accuracies"])
        if i < j
    ]
    return {"n": found["n"], "plot": _matrix(names, found), "rows": rows}


def _matrix(names: list[str], found: dict[str, Any]) -> MatrixPlot:
    cells: list[list[tuple[str, str, str] | None]] = []
    for i, share in enumerate(found["accuracies"]):
        row: list[tuple[str, str, str] | None] = []
        for j, other in enumerate(found["accuracies"]):
            if i == j:
                row.append(("same", "", f"{names[i]}: {100 * share:.0f}%"))
                continue
            p = found["p"][i][j]
            told = f"{names[i]} {100 * share:.0f}%, {names[j]} {100 * other:.0f}%, p = {p:.3g}"
            strength = sum(p <= level for level in LEVELS)
            if not strength:
                row.append(("apart-0", "", told))
            else:
                side, mark = ("better", "+") if share > other else ("worse", "\N{MINUS SIGN}")
                row.append((f"{side} apart-{strength}", mark, told))
        cells.append(row)
    return matrix_plot(names, cells)
