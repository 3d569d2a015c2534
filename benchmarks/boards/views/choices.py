"""People's choices between two answers: metrics on them, raters, and systems."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from benchmarks.analyses import kinds
from benchmarks.analyses.views import analysis_state
from benchmarks.boards.forms import ChoicesQuery
from benchmarks.boards.services import choices as choices_service
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden
from benchmarks.sets.views.access import find_set, set_page, set_view
from core.accounts.roles import Role

PAIRS_PER_PAGE = 20


@require_safe
def choices(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    query = ChoicesQuery.read(request.GET)
    context = {
        "tab": "choices",
        "counts": judgment_set.statistics.get("judged_pairs"),
        "of_sets": judgment_set.judged_pairs.exclude(set_key="").exists(),
        "labels_hidden": bool(hidden.viewer_masks(judgment_set)),
        "compute_url": reverse("compute-choices", args=[str(judgment_set)]),
    }
    if context["counts"] and not context["labels_hidden"]:
        pairs = judgment_set.judged_pairs.select_related("candidate1__instance", "candidate2")
        context |= {
            **_figures(request, judgment_set),
            "page": Paginator(pairs.prefetch_related("choices"), PAIRS_PER_PAGE).get_page(
                query["page"]
            ),
        }
    return set_page(
        request,
        "benchmarks/boards/choices.html",
        judgment_set,
        context,
        fragment="benchmarks/boards/_choices.html",
    )


@require_POST
@set_view(Role.EDITOR)
def compute_choices(request: HttpRequest, judgment_set: JudgmentSet) -> HttpResponse:
    return analysis_state.start_or_stop(request, "choices", judgment_set, {}, "choices")


def _figures(request: HttpRequest, judgment_set: JudgmentSet) -> dict[str, Any]:
    """The state of the analysis and, if it is complete, its figures."""
    context = analysis_state.started_context(request, "choices", judgment_set, {})
    analysis = analysis_state.complete_analysis(context)
    if analysis is None:
        return context
    result = kinds.choices.KIND.result_of(analysis)
    ranking = result["ranking"]
    systems = choices_service.ranked_systems(judgment_set, ranking) if ranking else []
    return context | {"result": result, "systems": systems}
