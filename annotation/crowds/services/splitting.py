"""Splitting HITs whose self-contained page is too long for MTurk."""

from __future__ import annotations

from django.db.models import Max

from annotation.crowds.models import Publication
from annotation.crowds.providers.mturk.questions import DocumentTooLongError, html_question
from annotation.crowds.services.pages import page_of_hit
from annotation.crowds.services.publication_specs import offer_of
from annotation.rating.models import Hit, HitCandidate
from annotation.studies.errors import StudyError


def fit_to_pages(publication: Publication) -> int:
    """Split the stage's HITs until every page fits; returns how many HITs were added.

    Only HITs without assignments are split. Raises StudyError for a single answer, pair or set that
    is too long, and for a HIT that cannot be split. Must run in a transaction.
    """
    if offer_of(publication).question != "html":
        return 0
    added = 0
    waiting = list(publication.stage.hits.filter(open_slots__gt=0).order_by("index"))
    while waiting:
        hit = waiting.pop()
        try:
            html_question(page_of_hit(hit))
        except DocumentTooLongError as error:
            waiting += [hit, _split(hit, str(error))]
            added += 1
    return added


def _split(hit: Hit, reason: str) -> Hit:
    """Move the second half of a HIT's candidates to a new HIT, and divide the pay."""
    members = list(hit.members.order_by("position").select_related("candidate"))
    if len(members) < 2:
        raise StudyError(
            f"Candidate '{members[0].candidate.key}' is too long for a self-contained page: "
            f"{reason} "
            "Choose this site's page, or shorten the passage."
        )
    if hit.assignments.exists():
        raise StudyError(
            f"HIT {hit.index} is too long for a self-contained page, and a worker has already "
            "taken "
            f"it: {reason} Choose this site's page."
        )
    protocol = hit.stage.study.current.protocol
    last = hit.stage.hits.aggregate(last=Max("index"))["last"] or 0
    half = len(members) // 2
    full = protocol.hit.max_candidates
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
