"""Ratings of drawn candidates that are requested again, because those they have do not count."""

from __future__ import annotations

from collections import Counter, defaultdict

from annotation.quality.models import Adjudication
from annotation.quality.services.rating_data import kept_ratings, usable_ratings
from annotation.rating.models import Assignment, Hit, HitCandidate
from annotation.rating.services import handing_out
from annotation.stages.services import missing_ratings, opening
from annotation.studies.models import Stage, StudyCandidate
from core.refusals import RefusedError

MAX_REQUESTS = 3
"""How often ratings of a candidate are requested of which none has a value that counts."""


def request_again(stage: Stage, unrated: set[int]) -> None:
    """Request ratings of drawn candidates that have none. Raises RefusedError if none can help.

    Ratings that raters could not give and those that a filter removed are requested MAX_REQUESTS
    times. Those that a z-score filter removed are not missing, so they are not requested again.
    """
    study = stage.study
    missing = opening.lock_and_count_missing(stage)
    unused = _submitted(stage, unrated) - missing_ratings.count_kept(study, stage.kind)
    again = {pk: n for pk, n in missing.items() if pk in unrated and unused[pk] < MAX_REQUESTS * n}
    if again:
        opening.request_ratings(stage, again)
        return
    judged = usable_ratings(study, [stage.kind]).filter(candidate__in=unrated)
    filtered = set(judged.values_list("candidate", flat=True))
    problems = []
    if not_judged := len(unrated - filtered):
        problems.append(
            f"Raters could not judge {not_judged:,} of the drawn candidates, although their "
            f"ratings were requested {MAX_REQUESTS} times. Set a value for each; then the sampling "
            "goes on."
        )
    if filtered:
        problems.append(
            f"The filters of the ledger removed all ratings of {len(filtered):,} drawn candidates. "
            "Undo the step, or set their values by adjudication; then the sampling goes on."
        )
    raise RefusedError(" ".join(problems), "study-refused")


def repeated_hits(stage: Stage) -> dict[int, dict[int, int]]:
    """By HIT with open places that only requests ratings again, the number of ratings that the
    protocol requires of each of its candidates.

    Each candidate of such a HIT has that many submitted ratings, or an adjudicated value.
    """
    protocol = stage.study.current.protocol
    hits: defaultdict[int, dict[int, int]] = defaultdict(dict)
    members = HitCandidate.objects.filter(
        hit__stage=stage, hit__open_slots__gt=0, candidate__use=StudyCandidate.Use.RATED
    )
    fields = ("hit", "candidate", "candidate__instance__split", "candidate__instance__span_based")
    for hit, candidate, split, span_based in members.values_list(*fields):
        hits[hit][candidate] = protocol.ratings_for(split, span_based=span_based)
    candidates = {pk for required in hits.values() for pk in required}
    submitted, adjudicated = _submitted(stage, candidates), _adjudicated(candidates)
    return {
        hit: required
        for hit, required in hits.items()
        if all(pk in adjudicated or submitted[pk] >= n for pk, n in required.items())
    }


def close_needless(stage: Stage, hits: dict[int, dict[int, int]], unrated: set[int]) -> bool:
    """Close the open places of those `repeated_hits` that nobody needs; returns whether there are.

    Nobody needs a HIT whose candidates all have their ratings or an adjudicated value, nor one that
    no admitted worker may take, once its candidates have gold scores. unrated: the drawn candidates
    without one. Raises RefusedError if no admitted worker may rate one of them, where none is
    closed.
    """
    rows = Hit.objects.filter(pk__in=hits, open_slots__gt=0)
    open_now = rows.select_for_update().order_by("pk").values_list("pk", flat=True)
    hits = {pk: hits[pk] for pk in open_now}
    candidates = {pk for required in hits.values() for pk in required}
    kept, adjudicated = (
        missing_ratings.count_kept(stage.study, stage.kind),
        _adjudicated(candidates),
    )
    needless = {
        hit
        for hit, required in hits.items()
        if all(pk in adjudicated or kept[pk] >= n for pk, n in required.items())
    }
    untakeable = handing_out.hits_nobody_may_take(stage, hits.keys() - needless)
    held = Assignment.objects.filter(hit__in=untakeable, status=Assignment.Status.HELD)
    untakeable -= set(held.values_list("hit", flat=True))  # their workers may still rate
    needless |= {hit for hit in untakeable if not unrated & hits[hit].keys()}
    if needless:
        rows.filter(pk__in=needless).update(open_slots=0)
        return True
    stuck = {pk for hit in untakeable for pk in hits[hit]} & unrated
    if stuck:
        raise RefusedError(
            f"No rater is left for {len(stuck):,} of the drawn candidates: all have rated them, "
            "and no rating has a value that counts. Admit another rater, or set a value for each; "
            "then the sampling goes on.",
            "study-refused",
        )
    return False


def _submitted(stage: Stage, candidates: set[int]) -> Counter[int]:
    """How many submitted ratings of the stage each candidate has."""
    rows = kept_ratings(stage.study).filter(
        candidate__in=candidates, assignment__hit__stage__kind=stage.kind
    )
    return Counter(rows.values_list("candidate", flat=True))


def _adjudicated(candidates: set[int]) -> set[int]:
    """The candidates whose main question has an adjudicated value."""
    rows = Adjudication.objects.filter(candidate__in=candidates, criterion="")
    return set(rows.values_list("candidate", flat=True))
