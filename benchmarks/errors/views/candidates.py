"""The page of a candidate: texts, ratings and scores of every metric."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from benchmarks.errors.marked_text import marked_text
from benchmarks.errors.services import browsing
from benchmarks.errors.services.criteria import people_on_criteria
from benchmarks.sets.models import Candidate, CriterionRating, JudgmentSet, Rating
from benchmarks.sets.services import hidden
from benchmarks.sets.services.pseudonyms import pseudonyms
from benchmarks.sets.views.access import find_set, set_page
from concord.formats.records import Span, shown_value
from concord.plots import IntervalScale
from core.refusals import RefusedError


@require_safe
def candidate_page(request: HttpRequest, ref: str, key: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    candidate = _find(judgment_set, key)
    people, score_shares = browsing.score_shares(judgment_set, candidate)
    scale = IntervalScale.from_range(0.0, 1.0, width=130, ticks=2)
    masked = hidden.viewer_masks(judgment_set).candidates
    siblings = list(candidate.instance.candidates.order_by("position"))
    for one in (candidate, *siblings):
        if masked[one.position]:
            one.gold = None  # hidden from the viewer
    ratings = [] if masked[candidate.position] else list(candidate.ratings.all())
    names = pseudonyms(judgment_set)
    context = {
        "tab": "data",
        "candidate": candidate,
        "instance": candidate.instance,
        "ratings": [_rating(names(one.worker), one, judgment_set.own_scale) for one in ratings],
        "any_simulated": any(one.simulated for one in ratings),
        "marks": [
            {
                "worker": names(one.worker),
                "marks": one,
                "marked": marked_text(candidate.text, [Span.from_row(row) for row in one.spans]),
            }
            for one in ([] if masked[candidate.position] else candidate.marks.all())
        ],
        "judgments": [
            {
                "name": one.name,
                "scale": one.scale,
                "score": one.score,
                "ratings": [_rating(names(r.worker), r, one.scale) for r in one.ratings],
                "any_simulated": any(r.simulated for r in one.ratings),
            }
            for one in ([] if masked[candidate.position] else people_on_criteria(candidate))
        ],
        "people": people,
        "people_mark": None if people.above is None else scale.mark(people.above, None),
        "scale": scale,
        "score_shares": [
            {"share": one, "mark": None if one.above is None else scale.mark(one.above, None)}
            for one in score_shares
        ],
        "siblings": siblings,
        "labels_hidden": masked[candidate.position],
        "neighbours": browsing.neighbours(judgment_set, candidate),
    }
    return set_page(request, "benchmarks/errors/candidate.html", judgment_set, context)


def _rating(
    worker: str, rating: Rating | CriterionRating, scale: tuple[float, float] | None
) -> dict[str, object]:
    shown = shown_value(rating.value, scale)
    word = shown if isinstance(shown, str) else ""
    return {"worker": worker, "rating": rating, "word": word}


def _find(judgment_set: JudgmentSet, key: str) -> Candidate:
    missing = RefusedError(f"{judgment_set} has no candidate “{key[:200]}”.", "not-found")
    if "\0" in key:  # PostgreSQL rejects NUL in a query
        raise missing
    rows = judgment_set.candidates.with_instance().prefetch_related("ratings")
    candidate = rows.filter(key=key).first()
    if candidate is None:
        raise missing
    return candidate
