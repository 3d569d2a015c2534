"""What do all metrics together know that the best one does not?"""

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
def combination(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set_on_criterion(request, ref)
    query = CoefficientQuery.read(request.GET)
    context = {
        "tab": "combination",
        "query": query,
        "coefficients": COEFFICIENTS.items(),
        "coefficient_name": COEFFICIENTS[query["coefficient"]],
        "form_names": list(query),
        "compute_url": reverse("compute-combination", args=[str(judgment_set)]),
        **_combination(request, judgment_set, query),
    }
    return set_page(
        request,
        "benchmarks/analyses/combination.html",
        judgment_set,
        context,
        fragment="benchmarks/analyses/_combination.html",
    )


@require_POST
@set_view(Role.EDITOR, on_criterion=True)
def compute_combination(request: HttpRequest, judgment_set: JudgmentSet) -> HttpResponse:
    query = CoefficientQuery.read(request.POST)
    return analysis_state.start_or_stop(request, "combination", judgment_set, query, "combination")


def _combination(
    request: HttpRequest, judgment_set: JudgmentSet, query: dict[str, Any]
) -> dict[str, Any]:
    context = analysis_state.started_context(request, "combination", judgment_set, query)
    analysis = analysis_state.complete_analysis(context)
    if analysis is None:
        return context
    result = kinds.combination.KIND.result_of(analysis)
    metrics = sorted(result["metrics"], key=lambda row: -abs(row["weight"]))
    ends = result["difference"].get("ci")
    verdict = "untested"
    if ends is not None:
        verdict = "better" if ends[0] > 0 else "worse" if ends[1] < 0 else "equal"
    return context | {"result": result, "metrics": metrics, "verdict": verdict}
