"""Minimal pairs by phenomenon, with what a metric says of each."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse

from benchmarks.forms import PairsQuery
from benchmarks.services import browsing, hidden
from benchmarks.views.access import find_complete_run, find_set, set_page

PAIRS_A_PAGE = 50


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
        "n_hidden": int(hidden.of(judgment_set).pairs.sum()),
        "page": Paginator(found, PAIRS_A_PAGE).get_page(query["page"]),
    }
    return set_page(request, "benchmarks/minimal_pairs.html", judgment_set, context)
