"""A crowd's worker arrives: who it is, what they hold, and what is refused.

What an address says of a worker is the worker's word: MTurk does not sign it. So it gives access
to a HIT and nothing else; pay goes by what the provider says (`syncing`), and an address that
contradicts itself or what we know is refused, changing nothing.
"""

from __future__ import annotations

import re
from datetime import datetime

from django.db import transaction

from annotation.crowds.models import CrowdAssignment, Listing, Publication
from annotation.crowds.services.orders import provider_of
from annotation.rating.models import Assignment, Hit, Participation
from annotation.rating.services import handing_out, participation

Status = CrowdAssignment.Status
# Where a worker's browser may still be rating.
OPEN = (Status.ACCEPTED, Status.RATED)
GONE = (Status.RETURNED, Status.ABANDONED)
ID = re.compile(r"[A-Za-z0-9._:@+-]{1,100}")


class ArrivalRefusedError(ValueError):
    """The worker cannot come in; the message tells them what to do."""


def arrive(
    listing: Listing, provider_id: str, worker_id: str, listing_id: str, *, at: datetime
) -> CrowdAssignment:
    """Let a worker in who accepted a listing; the same assignment gives the same row again.

    Raises ArrivalRefusedError, and then nothing has changed.
    """
    if not all(ID.fullmatch(one) for one in (provider_id, worker_id, listing_id)):
        raise ArrivalRefusedError(
            "The address lacks your worker or assignment id. Go back and open the task again."
        )
    if listing.provider_id and listing_id != listing.provider_id:
        raise ArrivalRefusedError(
            "This address was changed: it is of another task. Go back and open the task again."
        )
    known = CrowdAssignment.objects.filter(
        publication=listing.publication_id, provider_id=provider_id
    )
    with transaction.atomic():
        # One arrival at a listing after the other: what is free is counted in peace.
        Listing.objects.select_for_update().get(pk=listing.pk)
        before = known.select_related("participation__worker", "assignment").first()
        if before is not None:
            return _again(before, listing, worker_id, at)
        taking_part = let_in(listing.publication, worker_id, at=at)
        _check_welcome(taking_part)
        _free_a_place(listing)
        held = _hold(listing, taking_part, at)
        return CrowdAssignment.objects.create(
            publication=listing.publication,
            listing=listing,
            participation=taking_part,
            assignment=held,
            provider_id=provider_id,
            accepted_at=at,
        )


def let_in(publication: Publication, worker_id: str, *, at: datetime) -> Participation:
    """The worker's participation. One who passed the platform's own test has passed: the platform
    lets nobody else accept."""
    space = provider_of(publication).space
    found = participation.join(publication.stage.study, space, worker_id, at=at)
    if "test" in publication.known and found.qualified == Participation.Qualified.NOT_YET:
        found.qualified = Participation.Qualified.PASSED
        found.save(update_fields=["qualified"])
    return found


def rated_here(crowd: CrowdAssignment, *, at: datetime) -> None:
    """The worker finished here; whether they submit there too, the provider will say."""
    CrowdAssignment.objects.filter(pk=crowd.pk, status=Status.ACCEPTED).update(
        status=Status.RATED, rated_at=at
    )


def gave_back(crowd: CrowdAssignment, status: Status = Status.RETURNED) -> None:
    """The worker returned or abandoned it at the provider: its slot here is free again."""
    with transaction.atomic():
        changed = CrowdAssignment.objects.filter(pk=crowd.pk, status__in=OPEN).update(status=status)
        if not changed or crowd.assignment_id is None:
            return
        # The same worker may have taken it again: then their hold is of the newer row.
        newer = CrowdAssignment.objects.filter(
            assignment=crowd.assignment_id, pk__gt=crowd.pk, status__in=OPEN
        )
        if not newer.exists():
            _lapse(crowd.assignment_id)


def resume(crowd: CrowdAssignment, *, at: datetime) -> CrowdAssignment:
    """Let a worker go on whom we took to be gone. Their place may be another's by now: then what
    they submit is late, counted where it is still wanted and paid in any case."""
    if crowd.status not in GONE or crowd.assignment is None:
        return crowd
    hit = Hit.objects.select_related("stage__study").get(pk=crowd.assignment.hit_id)
    handing_out.hand_out_this(crowd.participation.worker, hit, at=at)
    crowd.status = Status.ACCEPTED
    crowd.save(update_fields=["status"])
    crowd.assignment.refresh_from_db()
    return crowd


def _again(
    before: CrowdAssignment, listing: Listing, worker_id: str, at: datetime
) -> CrowdAssignment:
    known = before.participation.worker.is_known_as(worker_id)
    if not known or before.listing_id != listing.pk:
        raise ArrivalRefusedError(
            "This address was changed: the task is another worker's. Go back and open your own."
        )
    _check_welcome(before.participation)
    return resume(before, at=at)


def _check_welcome(taking_part: Participation) -> None:
    if taking_part.excluded_at is not None or taking_part.withdrawn_at is not None:
        raise ArrivalRefusedError(
            "You take part in this study no more. Return this task, please; returning it counts "
            "against nobody, and what you submitted before is paid."
        )


def _hold(listing: Listing, taking_part: Participation, at: datetime) -> Assignment:
    """The listing's HIT for the worker, or another in its place. Raises ArrivalRefusedError."""
    worker = taking_part.worker
    mine = CrowdAssignment.objects.filter(participation=taking_part, assignment__isnull=False)
    before = mine.filter(listing=listing).last()
    if before is not None:
        # The platform lets nobody hold a listing twice: the hold before was given back.
        CrowdAssignment.objects.filter(pk=before.pk, status__in=OPEN).update(status=Status.RETURNED)
    first = before.assignment.hit if before and before.assignment else listing.hit
    assert first is not None
    hit = Hit.objects.select_related("stage__study").get(pk=first.pk)
    # A HIT in several parts is one HIT: whoever has a part of it gets other work for the next.
    elsewhere = mine.filter(assignment__hit=hit).exclude(listing=listing)
    held = None
    if not elsewhere.exclude(status__in=GONE).exists():
        held = handing_out.hand_out_this(worker, hit, at=at)
    held = held or handing_out.hand_out_alike(worker, hit, at=at)
    if held is None:
        raise ArrivalRefusedError(
            "There is nothing in this task that you have not rated before, or the study has all "
            "it needs. Return it, please; returning it counts against nobody."
        )
    return held


def _free_a_place(listing: Listing) -> None:
    """Where the provider lets in one more than there are places, somebody whom it has not told us
    of is gone: free the place of whoever has been longest at it, and has not finished here if
    there is one. Where that is wrong nothing is lost: they may go on (`resume`), and what they
    submit is taken, and paid.
    """
    rows = CrowdAssignment.objects.filter(listing=listing)
    if rows.exclude(status__in=GONE).count() < listing.places:
        return
    for status in OPEN:
        found = rows.filter(status=status).first()
        if found is not None:
            gave_back(found)
            return


def _lapse(assignment_id: int) -> None:
    """End a hold so that it may still be submitted late: its lease is over now."""
    held = Assignment.objects.select_related("hit__stage").get(pk=assignment_id)
    if held.status == Assignment.Status.HELD:
        Assignment.objects.filter(pk=held.pk).update(lease_until=held.started_at)
        handing_out.release_expired(held.hit.stage, at=held.started_at)
