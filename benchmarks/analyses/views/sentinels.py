"""Does a metric beat scores that lack what a judge needs?"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from benchmarks.analyses import kinds
from benchmarks.analyses.forms import CoefficientQuery
from benchmarks.analyses.views import analysis_state
from benchmarks.analyses.views.comparison import COEFFICIENTS
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.views.access import find_set_on_criterion, set_page, set_view
from core.accounts.roles import Role


@require_safe
def sentinels(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set_on_criterion(request, ref)
    query = CoefficientQuery.read(request.GET)
    context = {
        "tab": "sentinels",
        "query": query,
        "coefficients": COEFFICIENTS.items(),
        "coefficient_name": COEFFICIENTS[query["coefficient"]],
        "form_names": list(query),
        "compute_url": reverse("compute-sentinels", args=[str(judgment_set)]),
        **_sentinels(request, judgment_set, query),
    }
    return set_page(
        request,
        "benchmarks/analyses/sentinels.html",
        judgment_set,
        context,
        fragment="benchmarks/analyses/_sentinels.html",
    )


@require_POST
@set_view(Role.EDITOR, on_criterion=True)
def compute_sentinels(request: HttpRequest, judgment_set: JudgmentSet) -> HttpResponse:
    query = CoefficientQuery.read(request.POST)
    return analysis_state.start_or_stop(request, "sentinels", judgment_set, query, "sentinels")


def _sentinels(
    request: HttpRequest, judgment_set: JudgmentSet, query: dict[str, Any]
) -> dict[str, Any]:
    context = analysis_state.started_context(request, "sentinels", judgment_set, query)
    analysis = analysis_state.complete_analysis(context)
    if analysis is None:
        return context
    result = kinds.sentinels.KIND.result_of(analysis)
    metrics = sorted(result["metrics"], key=lambda row: -(row["figure"]["value"] or -1.0))
    return context | {
        "result": result,
        "metrics": metrics,
        "not_better": [row for row in metrics if row["beats_sentinels"] is False],
        "untested": [row for row in metrics if row["beats_sentinels"] is None],
    }
