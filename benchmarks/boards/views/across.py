"""The board across sets: metrics as rows, judgment sets or their groups as columns."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from benchmarks.boards.forms import AcrossQuery
from benchmarks.boards.services import across
from benchmarks.boards.services.across import AcrossSets
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access
from concord.documents.board import COEFFICIENTS
from concord.meta.board import GROUPINGS
from core.pages.queries import FormValues
from core.security.declarations import costs


@require_safe
@costs("figures")
def across_sets(request: HttpRequest) -> HttpResponse:
    every_set, selected, query = _read(request)
    table = _table(selected, query)
    context = {
        "query": query,
        "sets": every_set,
        "selected": {one.name for one in selected},
        "table": table,
        "max_sets": across.MAX_SETS,
        "omitted": max(0, len(selected) - across.MAX_SETS),
        "coefficients": COEFFICIENTS,
        "groupings": GROUPINGS,
        "query_string": urlencode(
            [(name, value) for name, value in query.items() if value]
            + [("set", one.name) for one in selected]
        ),
    }
    return render(request, "benchmarks/boards/across.html", context)


@require_safe
def across_file(request: HttpRequest, extension: str) -> HttpResponse:
    """The table as csv or LaTeX (tex)."""
    _, selected, query = _read(request)
    table = _table(selected, query)
    if extension == "csv":
        return _attachment(across.to_csv(table), "text/csv", extension)
    return _attachment(across.to_latex(table), "application/x-tex", extension)


def _read(request: HttpRequest) -> tuple[list[JudgmentSet], list[JudgmentSet], FormValues]:
    """The sets that the viewer may see, those chosen (all without a choice), and the query."""
    every_set = list(access.sets_for(request.user).latest_versions())
    names = set(request.GET.getlist("set"))
    selected = [one for one in every_set if one.name in names] or every_set
    return every_set, selected, AcrossQuery.read(request.GET)


def _table(judgment_sets: list[JudgmentSet], query: FormValues) -> AcrossSets:
    return across.metrics_by_sets(judgment_sets, query["coefficient"], query["by"] or None)


def _attachment(content: str, content_type: str, extension: str) -> HttpResponse:
    response = HttpResponse(content, content_type=f"{content_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="metrics-by-sets.{extension}"'
    return response
