"""One candidate: its texts, its ratings, and what every metric says of it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from benchmarks.errors.services import browsing
from benchmarks.runs.services import weights
from benchmarks.sets.models import Candidate, JudgmentSet
from benchmarks.sets.services import hidden
from benchmarks.sets.services.pseudonyms import Pseudonyms
from benchmarks.sets.views.access import find_set, set_page
from concord.plots import IntervalScale
from core.pages.errors import MissingError
from scorers import ModelError


@require_safe
def candidate(request: HttpRequest, ref: str, key: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    found = _find(judgment_set, key)
    people, standings = browsing.standings(judgment_set, found)
    scale = IntervalScale.over(0.0, 1.0, width=130, ticks=2)
    masked = hidden.of(judgment_set).candidates
    siblings = list(found.instance.candidates.order_by("position"))
    for one in (found, *siblings):
        if masked[one.position]:
            one.gold = None  # what the viewer may not see
    ratings = [] if masked[found.position] else list(found.ratings.all())
    names = Pseudonyms.stable(judgment_set)
    context = {
        "tab": "",
        "candidate": found,
        "instance": found.instance,
        "ratings": [{"worker": names(one.worker), "rating": one} for one in ratings],
        "any_simulated": any(one.simulated for one in ratings),
        "people": people,
        "people_mark": None if people.above is None else scale.mark(people.above, None),
        "scale": scale,
        "standings": [
            {"it": one, "mark": None if one.above is None else scale.mark(one.above, None)}
            for one in standings
        ],
        "siblings": siblings,
        "labels_hidden": masked[found.position],
        "neighbours": browsing.neighbours(judgment_set, found),
    }
    context |= _weights(request, judgment_set, found)
    return set_page(request, "benchmarks/errors/candidate.html", judgment_set, context)


def _weights(request: HttpRequest, judgment_set: JudgmentSet, found: Candidate) -> dict[str, Any]:
    """The heat maps, where they are asked for: they need models, which take seconds to load."""
    if "weights" not in request.GET:
        return {"heat_maps": None}
    try:
        return {"heat_maps": weights.heat_maps(judgment_set, found)}
    except ModelError as error:
        return {"heat_maps": [], "weights_error": str(error)}


def _find(judgment_set: JudgmentSet, key: str) -> Candidate:
    missing = MissingError(f"{judgment_set} has no candidate “{key[:200]}”.")
    if "\0" in key:  # which PostgreSQL refuses to look for
        raise missing
    rows = judgment_set.candidates.with_instance().prefetch_related("ratings")
    found = rows.filter(key=key).first()
    if found is None:
        raise missing
    return found
