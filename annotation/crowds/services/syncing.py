"""Recording what the provider reports. The provider decides who submitted what.

A worker's browser can finish here without submitting there, and the reverse. A rating counts and is
paid once the provider reports its submission. Everything here may run twice, in any order, by
polling and by notification.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Count, Q

from annotation.crowds.models import CrowdAssignment, CrowdCall, Listing, Publication
from annotation.crowds.providers.provider import (
    CrowdSubmissionReport,
    ListingCounts,
    Provider,
    State,
)
from annotation.crowds.services import arrivals, payment_totals, sessions, submitted_ratings
from annotation.crowds.services.call_handlers import LISTING_RANK
from annotation.crowds.services.erased_ids import matches_assignment
from annotation.crowds.services.publication_specs import provider_of
from annotation.identities.sealing import Sealed
from annotation.rating.models import Assignment, Participation

Status = CrowdAssignment.Status
SUBMITTED_STATES = (Status.SUBMITTED, Status.APPROVED, Status.REJECTED)
DECIDED_STATES = (Status.APPROVED, Status.REJECTED)
# The order of states: an older report never overrides a newer one.
STATE_RANK = {
    Status.ACCEPTED: 0,
    Status.RATED: 1,
    Status.RETURNED: 1,
    Status.ABANDONED: 1,
    Status.SUBMITTED: 2,
    Status.REJECTED: 3,
    Status.APPROVED: 4,
}


@dataclass(slots=True)
class SyncResult:
    """The result of a sync: listings checked, new submissions, new decisions."""

    listings: int = 0
    submitted: int = 0
    decided: int = 0


def sync(
    publication: Publication,
    *,
    provider: Provider | None = None,
    everything: bool = False,
    at: datetime,
) -> SyncResult:
    """Ask the provider for submissions and decisions, and record them. Raises CrowdError.

    Where the provider has counts, only listings whose counts differ are asked for. `everything`
    asks for all listings.
    """
    provider = provider or provider_of(publication)
    result = SyncResult()
    listings = publication.listings.exclude(provider_id="").select_related("hit__stage__study")
    counts = provider.listing_counts()
    reported = None if counts is None else {one.listing_id: one for one in counts}
    if reported is not None:
        _mark_expired(publication, reported, at)
    for listing in _changed_listings(publication, listings, None if everything else reported):
        result.listings += 1
        for submission in provider.submissions(listing.provider_id):
            change = record_submission(listing, submission, at=at)
            result.submitted += change == State.SUBMITTED
            result.decided += change in (State.APPROVED, State.REJECTED)
    if not provider.pays:
        # Nobody else reports the people who came by personal links; a panel reports its own.
        finished = publication.assignments.filter(status=Status.RATED)
        for crowd in finished.exclude(participation__worker__provider=provider.id_namespace):
            result.submitted += (
                record_submission(crowd.listing, sessions.submission_of(crowd), at=at) is not None
            )
    enqueue_exclusions(publication, at=at)
    _enqueue_admissions(publication, provider, at)
    Publication.objects.filter(pk=publication.pk).update(synced_at=at)
    return result


def record_submission(
    listing: Listing, submission: CrowdSubmissionReport, *, at: datetime
) -> State | None:
    """Record a submission as the provider reports it; returns the change, None without one."""
    with transaction.atomic():
        Listing.objects.select_for_update().get(pk=listing.pk)
        crowd = _get_or_create(listing, submission, at)
        status = Status(submission.state.value)
        if STATE_RANK[status] <= STATE_RANK[Status(crowd.status)]:
            return None
        was_submitted = crowd.status in SUBMITTED_STATES
        was_returned = crowd.status in (Status.RETURNED, Status.ABANDONED)
        if status in (Status.RETURNED, Status.ABANDONED):
            arrivals.mark_returned(crowd, status)
            return submission.state
        crowd.status = status
        if submission.answer and crowd.participation.worker.identity is not None:
            crowd.answer = Sealed.of(submission.answer)
        crowd.feedback = submission.feedback or crowd.feedback
        crowd.submitted_at = crowd.submitted_at or submission.submitted_at or at
        crowd.accepted_at = submission.accepted_at or crowd.accepted_at
        crowd.auto_approval_at = submission.auto_approval_at or crowd.auto_approval_at
        if status in DECIDED_STATES:
            crowd.decided_at = submission.decided_at or at
        crowd.save()
        if not was_submitted and status in SUBMITTED_STATES:
            submitted_ratings.count_ratings(crowd, submission, was_returned=was_returned, at=at)
        if status == Status.APPROVED:
            payment_totals.record_reward(crowd, call=None, at=crowd.decided_at or at)
        if not was_submitted and status == Status.APPROVED:
            return State.APPROVED
    return submission.state


def _get_or_create(
    listing: Listing, submission: CrowdSubmissionReport, at: datetime
) -> CrowdAssignment:
    """The row of the submission; a new one for a worker who was never here."""
    rows = CrowdAssignment.objects.select_for_update(of=("self",)).select_related(
        "publication__stage__study", "listing__hit", "participation__worker", "assignment"
    )
    own_rows = rows.filter(
        matches_assignment(submission.provider_id), publication=listing.publication_id
    )
    crowd = own_rows.first()
    if crowd is not None:
        return crowd
    new_row = CrowdAssignment.objects.create(
        publication=listing.publication,
        listing=listing,
        participation=arrivals.join_study(listing.publication, submission.worker_id, at=at),
        provider_id=submission.provider_id,
        accepted_at=submission.accepted_at,
    )
    return rows.get(pk=new_row.pk)


def _changed_listings(
    publication: Publication,
    listings: Iterable[Listing],
    reported: Mapping[str, ListingCounts] | None,
) -> list[Listing]:
    """The listings whose counts at the provider differ from those here."""
    if reported is None:
        return list(listings)
    recorded = {
        row["listing"]: row
        for row in CrowdAssignment.objects.filter(publication=publication)
        .order_by()
        .values("listing")
        .annotate(
            reported=Count("pk", filter=Q(status__in=SUBMITTED_STATES)),
            decided=Count("pk", filter=Q(status__in=DECIDED_STATES)),
        )
    }
    no_counts = {"reported": 0, "decided": 0}
    changed = []
    for listing in listings:
        here, there = recorded.get(listing.pk, no_counts), reported.get(listing.provider_id)
        if there is None:
            continue  # deleted there; MTurk deletes HITs after 120 days
        if (here["reported"], here["decided"]) != (there.reported, there.decided):
            changed.append(listing)
    return changed


def _mark_expired(
    publication: Publication, reported: Mapping[str, ListingCounts], at: datetime
) -> None:
    """Mark the listings whose time is over: their open places no longer count as committed."""
    expired = [
        one.listing_id for one in reported.values() if one.open_until and one.open_until <= at
    ]
    publication.listings.filter(expired_at=None, provider_id__in=expired).update(expired_at=at)


def enqueue_exclusions(publication: Publication, *, at: datetime) -> None:
    """Exclude at the provider the workers who were excluded from the study or left it."""
    if not provider_of(publication).pays or publication.status == Publication.Status.DRAFT:
        return
    people = publication.stage.study.participations.filter(
        Q(excluded_at__isnull=False) | Q(withdrawn_at__isnull=False),
        worker__provider=provider_of(publication).id_namespace,
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


def _enqueue_admissions(publication: Publication, provider: Provider, at: datetime) -> None:
    """Add workers who passed the test to the platform's group, for later publications."""
    if "passed" not in publication.provider_ids:
        return
    people = publication.stage.study.participations.filter(
        qualified=Participation.Qualified.PASSED, worker__provider=provider.id_namespace
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


def count_mismatches(publication: Publication) -> Counter[str]:
    """Count submissions known only here or only at the provider."""
    rows = CrowdAssignment.objects.filter(publication=publication)
    unsubmitted = rows.filter(rated_at__isnull=False).exclude(status__in=SUBMITTED_STATES).count()
    if not provider_of(publication).listing_per_hit:
        return Counter({"rated here but not submitted there": unsubmitted})
    incomplete = rows.filter(status__in=SUBMITTED_STATES).exclude(
        assignment__status__in=(Assignment.Status.SUBMITTED, Assignment.Status.SURPLUS)
    )
    return Counter(
        {
            "rated here but not submitted there": unsubmitted,
            "submitted there but not rated here": incomplete.count(),
        }
    )
