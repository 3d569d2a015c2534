"""HITs whose self-contained page is too long for MTurk, cut in two until it fits."""

from __future__ import annotations

from django.db.models import Max

from annotation.crowds.models import Publication
from annotation.crowds.providers.mturk.questions import TooLongError, html_question
from annotation.crowds.services.orders import offer_of
from annotation.crowds.services.pages import page_of_hit
from annotation.rating.models import Hit, HitCandidate
from annotation.studies.errors import StudyError


def fit_to_pages(publication: Publication) -> int:
    """Split the stage's HITs until every page fits; how many HITs that added.

    Only HITs that nobody has taken are split. Raises StudyError for a single answer that is too
    long, and for a HIT that cannot be split any more. Call it in a transaction.
    """
    if offer_of(publication).question != "html":
        return 0
    added = 0
    waiting = list(publication.stage.hits.filter(open_slots__gt=0).order_by("index"))
    while waiting:
        hit = waiting.pop()
        try:
            html_question(page_of_hit(hit))
        except TooLongError as error:
            waiting += [hit, _split(hit, str(error))]
            added += 1
    return added


def _split(hit: Hit, reason: str) -> Hit:
    """Move the second half of a HIT's candidates to a new one; both are paid for their parts."""
    members = list(hit.members.order_by("position").select_related("candidate"))
    if len(members) < 2:
        raise StudyError(
            f"'{members[0].candidate.key}' is too long to be rated without a server: {reason} "
            "Choose the page of this site instead, or shorten its passage."
        )
    if hit.assignments.exists():
        raise StudyError(
            f"HIT {hit.index} is too long to be rated without a server, and was taken already: "
            f"{reason} Choose the page of this site instead."
        )
    protocol = hit.stage.study.current.protocol
    last = hit.stage.hits.aggregate(last=Max("index"))["last"] or 0
    half = len(members) // 2
    full = protocol.hit.most_candidates
    second = Hit.objects.create(
        stage=hit.stage,
        index=last + 1,
        wanted=hit.wanted,
        open_slots=hit.open_slots,
        pay_cents=protocol.pay.cents(len(members) - half, full),
    )
    for position, member in enumerate(members[half:]):
        HitCandidate.objects.filter(pk=member.pk).update(hit=second, position=position)
    Hit.objects.filter(pk=hit.pk).update(pay_cents=protocol.pay.cents(half, full))
    hit.refresh_from_db()
    return second
