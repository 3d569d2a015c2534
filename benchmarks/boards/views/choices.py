"""People's choices between two answers: metrics on them, raters, and systems."""

from __future__ import annotations

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from benchmarks.analyses import judged_pairs
from benchmarks.boards.forms import ChoicesQuery
from benchmarks.boards.services.choices import visible_choices
from benchmarks.sets.services import hidden
from benchmarks.sets.views.access import find_set, set_page

PAIRS_PER_PAGE = 20


@require_safe
def choices(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    query = ChoicesQuery.read(request.GET)
    visible = visible_choices(judgment_set)
    context = {
        "tab": "choices",
        "counts": judgment_set.statistics.get("judged_pairs"),
        "labels_hidden": bool(hidden.viewer_masks(judgment_set)),
        "choices": visible,
    }
    if visible is not None:
        pairs = judgment_set.judged_pairs.select_related("candidate1__instance", "candidate2")
        context |= {
            "accuracies": judged_pairs.accuracies(judgment_set, visible.pairs),
            "systems": (
                judged_pairs.ranked_systems(judgment_set, visible.ranking)
                if visible.ranking
                else []
            ),
            "page": Paginator(pairs.prefetch_related("choices"), PAIRS_PER_PAGE).get_page(
                query["page"]
            ),
        }
    return set_page(request, "benchmarks/boards/choices.html", judgment_set, context)
