"""Metrics by the criteria of a set, with the agreement of raters on them."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from benchmarks.analyses.criteria_agreement import criteria_agreement
from benchmarks.boards.forms import CriteriaQuery
from benchmarks.boards.services import across
from benchmarks.boards.services.across import AcrossSets
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from benchmarks.sets.views.access import find_set, set_page
from benchmarks.sets.views.attachments import attachment
from concord.meta.table import COEFFICIENTS


@require_safe
def metrics_by_criteria(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    query = CriteriaQuery.read(request.GET)
    labels_hidden = bool(hidden.viewer_masks(judgment_set))
    context = {
        "tab": "criteria",
        "query": query,
        "coefficients": COEFFICIENTS,
        "table": across.metrics_by_criteria(judgment_set, query["coefficient"]),
        "query_string": urlencode(query),
        "labels_hidden": labels_hidden,
        # From exact figures over all ratings, single ones could be solved for.
        "people": None if labels_hidden else criteria_agreement(judgment_set),
    }
    return set_page(request, "benchmarks/boards/criteria.html", judgment_set, context)


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
