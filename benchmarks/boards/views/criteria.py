"""Metrics by the criteria of a set, with the agreement of raters on them."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from benchmarks.analyses.kinds import criteria as raters
from benchmarks.analyses.kinds.criteria import CriteriaQuery
from benchmarks.analyses.views import analysis_state
from benchmarks.boards.services import across
from benchmarks.boards.services.across import AcrossSets
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria, hidden
from benchmarks.sets.views.access import find_set, set_page
from benchmarks.sets.views.attachments import attachment
from concord.documents.board import COEFFICIENTS


@require_safe
def metrics_by_criteria(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    query = CriteriaQuery.read(request.GET)
    context = {
        "tab": "criteria",
        "query": query,
        "coefficients": COEFFICIENTS,
        "table": across.metrics_by_criteria(judgment_set, query["coefficient"]),
        "query_string": urlencode(query),
        "labels_hidden": bool(hidden.viewer_masks(judgment_set)),
        "form_names": list(query),
        "compute_url": reverse("compute-criteria", args=[str(judgment_set)]),
    }
    if criteria.names(judgment_set) and not context["labels_hidden"]:
        context |= _people(request, judgment_set)
    return set_page(
        request,
        "benchmarks/boards/criteria.html",
        judgment_set,
        context,
        fragment="benchmarks/boards/_criteria_people.html",
    )


def _people(request: HttpRequest, judgment_set: JudgmentSet) -> dict[str, object]:
    """The state of the analysis of the raters and, if it is complete, its figures."""
    context = analysis_state.started_context(request, "criteria", judgment_set, {})
    analysis = analysis_state.complete_analysis(context)
    return context | {"people": raters.KIND.result_of(analysis)} if analysis else context


@require_safe
def criteria_csv(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set, table = _table(request, ref)
    response = HttpResponse(across.to_csv(table), content_type="text/csv; charset=utf-8")
    return attachment(response, judgment_set, "criteria.csv")


@require_safe
def criteria_tex(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set, table = _table(request, ref)
    response = HttpResponse(across.to_latex(table), content_type="application/x-tex; charset=utf-8")
    return attachment(response, judgment_set, "criteria.tex")


def _table(request: HttpRequest, ref: str) -> tuple[JudgmentSet, AcrossSets]:
    judgment_set = find_set(ref, request.user)
    coefficient = CriteriaQuery.read(request.GET)["coefficient"]
    return judgment_set, across.metrics_by_criteria(judgment_set, coefficient)
