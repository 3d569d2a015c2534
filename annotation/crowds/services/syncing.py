"""Reconciling with the provider, whose word on who submitted what is the last one.

"Rated here" and "submitted there" are different things: a worker's browser can finish one and
not the other. A rating counts, and is paid, once the provider reports its submission. Everything
here may happen twice, in any order, by polling and by notification.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Q

from annotation.crowds.models import CrowdAssignment, CrowdCall, Listing, Publication
from annotation.crowds.providers.provider import Counted, Provider, State, Submission
from annotation.crowds.services import answering, arrivals, books, sessions
from annotation.crowds.services.deeds import LISTING_RANK
from annotation.crowds.services.marks import erased_as
from annotation.crowds.services.orders import provider_of
from annotation.identities.sealing import Sealed
from annotation.rating.models import Assignment, Participation

Status = CrowdAssignment.Status
HANDED_IN = (Status.SUBMITTED, Status.APPROVED, Status.REJECTED)
DECIDED = (Status.APPROVED, Status.REJECTED)
# How far along each state is: a report is never taken back by an older one.
ORDER = {
    Status.ACCEPTED: 0,
    Status.RATED: 1,
    Status.RETURNED: 1,
    Status.ABANDONED: 1,
    Status.SUBMITTED: 2,
    Status.REJECTED: 3,
    Status.APPROVED: 4,
}


@dataclass(slots=True)
class Synced:
    """What a sync found: listings looked at, submissions that were new, decisions that were."""

    listings: int = 0
    submitted: int = 0
    decided: int = 0


def sync(
    publication: Publication,
    *,
    provider: Provider | None = None,
    everything: bool = False,
    at: datetime,
) -> Synced:
    """Ask the provider what was submitted and decided, and take it in. Raises CrowdError.

    Where the provider counts its listings, only those are asked for whose counts are not ours;
    `everything` asks for each.
    """
    provider = provider or provider_of(publication)
    found = Synced()
    listings = publication.listings.exclude(provider_id="").select_related("hit__stage__study")
    counts = provider.counted()
    theirs = None if counts is None else {one.listing_id: one for one in counts}
    if theirs is not None:
        _note_those_over(publication, theirs, at)
    for listing in _changed(publication, listings, None if everything else theirs):
        found.listings += 1
        for submission in provider.submissions(listing.provider_id):
            change = take_in(listing, submission, at=at)
            found.submitted += change == State.SUBMITTED
            found.decided += change in (State.APPROVED, State.REJECTED)
    if publication.provider == "local":
        # Our own word is the provider's: who finished here has finished.
        for crowd in publication.assignments.filter(status=Status.RATED):
            found.submitted += take_in(crowd.listing, sessions.finished(crowd), at=at) is not None
    exclude_those_excluded(publication, at=at)
    _gather_those_who_passed(publication, provider, at)
    Publication.objects.filter(pk=publication.pk).update(synced_at=at)
    return found


def take_in(listing: Listing, submission: Submission, *, at: datetime) -> State | None:
    """One report of the provider; the change that it made, None for one known before."""
    with transaction.atomic():
        Listing.objects.select_for_update().get(pk=listing.pk)
        crowd = _row(listing, submission, at)
        new = Status(submission.state.value)
        if ORDER[new] <= ORDER[Status(crowd.status)]:
            return None
        was_handed_in = crowd.status in HANDED_IN
        if new in (Status.RETURNED, Status.ABANDONED):
            arrivals.gave_back(crowd, new)
            return submission.state
        crowd.status = new
        if submission.answer and crowd.participation.worker.identity is not None:
            crowd.answer = Sealed.of(submission.answer)
        crowd.feedback = submission.feedback or crowd.feedback
        crowd.submitted_at = crowd.submitted_at or submission.submitted_at or at
        crowd.accepted_at = submission.accepted_at or crowd.accepted_at
        crowd.approves_itself_at = submission.approves_itself_at or crowd.approves_itself_at
        if new in DECIDED:
            crowd.decided_at = submission.decided_at or at
        crowd.save()
        if not was_handed_in and new in HANDED_IN:
            answering.hand_in(crowd, submission, at=at)
        if new == Status.APPROVED:
            books.note_reward(crowd, call=None, at=crowd.decided_at or at)
        if not was_handed_in and new == Status.APPROVED:
            return State.APPROVED
    return submission.state


def _row(listing: Listing, submission: Submission, at: datetime) -> CrowdAssignment:
    """Our row of the submission; a new one for a worker whom we never saw."""
    rows = CrowdAssignment.objects.select_for_update(of=("self",)).select_related(
        "publication__stage__study", "listing__hit", "participation__worker", "assignment"
    )
    mine = rows.filter(erased_as(submission.provider_id), publication=listing.publication_id)
    found = mine.first()
    if found is not None:
        return found
    made = CrowdAssignment.objects.create(
        publication=listing.publication,
        listing=listing,
        participation=arrivals.let_in(listing.publication, submission.worker_id, at=at),
        provider_id=submission.provider_id,
        accepted_at=submission.accepted_at,
    )
    return rows.get(pk=made.pk)


def _changed(
    publication: Publication,
    listings: Iterable[Listing],
    theirs: Mapping[str, Counted] | None,
) -> list[Listing]:
    """The listings whose counts at the provider differ from ours."""
    if theirs is None:
        return list(listings)
    ours = {
        row["listing"]: row
        for row in CrowdAssignment.objects.filter(publication=publication)
        .order_by()
        .values("listing")
        .annotate(
            reported=Count("pk", filter=Q(status__in=HANDED_IN)),
            decided=Count("pk", filter=Q(status__in=DECIDED)),
        )
    }
    none = {"reported": 0, "decided": 0}
    found = []
    for listing in listings:
        here, there = ours.get(listing.pk, none), theirs.get(listing.provider_id)
        if there is None:
            continue  # deleted there, or past the 120 days after which a HIT is gone
        if (here["reported"], here["decided"]) != (there.reported, there.decided):
            found.append(listing)
    return found


def _note_those_over(publication: Publication, theirs: Mapping[str, Counted], at: datetime) -> None:
    """Write down which listings take nobody in any more because their time is over: their places
    bring nothing, and what they would have cost is free again."""
    over = [one.listing_id for one in theirs.values() if one.open_until and one.open_until <= at]
    publication.listings.filter(expired_at=None, provider_id__in=over).update(expired_at=at)


def exclude_those_excluded(publication: Publication, *, at: datetime) -> None:
    """Have the provider keep out whom the study excluded or who left it."""
    if not provider_of(publication).pays or publication.status == Publication.Status.DRAFT:
        return
    people = publication.stage.study.participations.filter(
        Q(excluded_at__isnull=False) | Q(withdrawn_at__isnull=False),
        worker__provider=provider_of(publication).space,
    )
    CrowdCall.objects.bulk_create(
        [
            CrowdCall(
                publication=publication,
                kind="exclude",
                rank=LISTING_RANK,
                key=f"{publication.uid}-exclude-{one.worker_id}",
                payload={"participation": one.pk},
                created_at=at,
            )
            for one in people.filter(worker__identity__isnull=False)
        ],
        ignore_conflicts=True,
    )


def _gather_those_who_passed(publication: Publication, provider: Provider, at: datetime) -> None:
    """Put who passed our test into the platform's group, for this study's next listing."""
    if not provider.gives_groups or "passed" not in publication.known:
        return
    people = publication.stage.study.participations.filter(
        qualified=Participation.Qualified.PASSED, worker__provider=provider.space
    )
    CrowdCall.objects.bulk_create(
        [
            CrowdCall(
                publication=publication,
                kind="admit",
                rank=LISTING_RANK,
                key=f"{publication.uid}-admit-{one.worker_id}",
                payload={"participation": one.pk},
                created_at=at,
            )
            for one in people.filter(worker__identity__isnull=False)
        ],
        ignore_conflicts=True,
    )


def drift(publication: Publication) -> Counter[str]:
    """Where here and there differ now, in counts: rated here and never submitted, submitted there
    and not rated here."""
    rows = CrowdAssignment.objects.filter(publication=publication)
    unsubmitted = rows.filter(rated_at__isnull=False).exclude(status__in=HANDED_IN).count()
    if not provider_of(publication).listing_per_hit:
        return Counter({"rated here, not submitted there": unsubmitted})
    incomplete = rows.filter(status__in=HANDED_IN).exclude(
        assignment__status__in=(Assignment.Status.SUBMITTED, Assignment.Status.SURPLUS)
    )
    return Counter(
        {
            "rated here, not submitted there": unsubmitted,
            "submitted there, not rated here": incomplete.count(),
        }
    )
