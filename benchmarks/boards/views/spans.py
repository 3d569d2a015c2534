"""Error spans: raters, systems, and which metric falls with the severity of errors."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from benchmarks.analyses import kinds
from benchmarks.analyses.views import analysis_state
from benchmarks.boards.forms import SpansQuery
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from benchmarks.sets.views.access import find_set, set_page, set_view
from concord.spans import Weights
from core.accounts.roles import Role


@require_safe
def spans(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    query = SpansQuery.read(request.GET)
    context = {
        "tab": "spans",
        "counts": judgment_set.statistics.get("marks"),
        "query": query,
        "form_names": list(query),
        "compute_url": reverse("compute-spans", args=[str(judgment_set)]),
        "labels_hidden": bool(hidden.viewer_masks(judgment_set)),
    }
    if context["counts"] and not context["labels_hidden"]:
        context |= _figures(request, judgment_set, query)
    return set_page(
        request,
        "benchmarks/boards/spans.html",
        judgment_set,
        context,
        fragment="benchmarks/boards/_spans.html",
    )


@require_POST
@set_view(Role.EDITOR)
def compute_spans(request: HttpRequest, judgment_set: JudgmentSet) -> HttpResponse:
    query = SpansQuery.read(request.POST)
    return analysis_state.start_or_stop(request, "spans", judgment_set, query, "spans")


def _figures(
    request: HttpRequest, judgment_set: JudgmentSet, query: dict[str, Any]
) -> dict[str, Any]:
    """The state of the analysis and, if it is complete, its figures.

    Visitors start it with the default weights only: there are many others.
    """
    is_usual = query["weights"] == Weights().text
    context = analysis_state.started_context(
        request, "spans", judgment_set, query, is_usual=is_usual
    )
    analysis = analysis_state.complete_analysis(context)
    if analysis is None:
        return context
    result = kinds.spans.KIND.result_of(analysis)
    systems = sorted(result["report"]["systems"].items(), key=_order)
    return context | {"result": result, "systems": systems}


def _order(system: tuple[str, dict[str, Any]]) -> tuple[bool, float, str]:
    """By the MQM score, best first."""
    name, row = system
    value = row["mqm"]["value"]
    return (value is None, -(value or 0.0), name)
