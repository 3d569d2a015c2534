"""The arrival of a crowd's worker: identity, assignment of a HIT, and refusals.

MTurk does not sign the link's worker id, so the link gives access to a HIT and nothing else. Pay
depends on what the provider reports (`syncing`). A link that contradicts itself or the stored data
is refused, and nothing changes.
"""

from __future__ import annotations

import re
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext

from annotation.crowds.models import CrowdAssignment, Listing, Publication
from annotation.crowds.services.publication_specs import provider_of
from annotation.rating.models import Assignment, Hit, Participation
from annotation.rating.services import handing_out, participation
from core.refusals import RefusedError

Status = CrowdAssignment.Status
# States in which the worker may still be rating.
OPEN_STATES = (Status.ACCEPTED, Status.RATED)
RETURNED_STATES = (Status.RETURNED, Status.ABANDONED)
ID_PATTERN = re.compile(r"[A-Za-z0-9._:@+-]{1,100}")


def arrive(
    listing: Listing, provider_id: str, worker_id: str, listing_id: str, *, at: datetime
) -> CrowdAssignment:
    """Admit a worker who accepted a listing; the same assignment returns the same row.

    Raises RefusedError, and then nothing has changed.
    """
    if not all(ID_PATTERN.fullmatch(one) for one in (provider_id, worker_id, listing_id)):
        raise RefusedError(
            gettext(
                "The link does not contain your worker or assignment id. Go back and open the task"
                " again."
            ),
            "arrival-refused",
        )
    if listing.provider_id and listing_id != listing.provider_id:
        raise RefusedError(
            gettext(
                "This link was changed: it belongs to another task. Go back and open the task "
                "again."
            ),
            "arrival-refused",
        )
    rows = CrowdAssignment.objects.filter(
        publication=listing.publication_id, provider_id=provider_id
    )
    with transaction.atomic():
        # The lock lets one worker at a time enter, so that free places are counted correctly.
        Listing.objects.select_for_update().get(pk=listing.pk)
        existing = rows.select_related("participation__worker", "assignment").first()
        if existing is not None:
            return _reopen(existing, listing, worker_id, at)
        participant = join_study(listing.publication, worker_id, at=at)
        _check_may_take_part(participant)
        _free_place(listing)
        assignment = _assign(listing, participant, at)
        return CrowdAssignment.objects.create(
            publication=listing.publication,
            listing=listing,
            participation=participant,
            assignment=assignment,
            provider_id=provider_id,
            accepted_at=at,
        )


def join_study(publication: Publication, worker_id: str, *, at: datetime) -> Participation:
    """The worker's participation.

    If the platform runs the test, the worker has passed it, because the platform lets only those
    accept.
    """
    id_namespace = provider_of(publication).id_namespace
    participant = participation.join(publication.stage.study, id_namespace, worker_id, at=at)
    if (
        "test" in publication.provider_ids
        and participant.qualified == Participation.Qualified.NOT_YET
    ):
        participant.qualified = Participation.Qualified.PASSED
        participant.save(update_fields=["qualified"])
    return participant


def mark_rated(crowd: CrowdAssignment, *, at: datetime) -> None:
    """Record that the worker finished here. The provider reports whether they submit there."""
    CrowdAssignment.objects.filter(pk=crowd.pk, status=Status.ACCEPTED).update(
        status=Status.RATED, rated_at=at
    )


def mark_returned(crowd: CrowdAssignment, status: Status = Status.RETURNED) -> None:
    """Record that the worker returned or abandoned it at the provider, and free the slot here."""
    with transaction.atomic():
        changed = CrowdAssignment.objects.filter(pk=crowd.pk, status__in=OPEN_STATES).update(
            status=status
        )
        if not changed or crowd.assignment_id is None:
            return
        # The same worker may have accepted it again: the newer row then has the assignment.
        newer = CrowdAssignment.objects.filter(
            assignment=crowd.assignment_id, pk__gt=crowd.pk, status__in=OPEN_STATES
        )
        if not newer.exists():
            _expire(crowd.assignment_id)


def resume(crowd: CrowdAssignment, *, at: datetime) -> CrowdAssignment:
    """Let a worker continue whose assignment was taken for returned.

    Their slot may have been reassigned; a late submission counts if ratings are still missing, and
    is paid in any case.
    """
    if crowd.status not in RETURNED_STATES or crowd.assignment is None:
        return crowd
    hit = Hit.objects.select_related("stage__study").get(pk=crowd.assignment.hit_id)
    handing_out.hand_out_hit(crowd.participation.worker, hit, at=at)
    crowd.status = Status.ACCEPTED
    crowd.save(update_fields=["status"])
    crowd.assignment.refresh_from_db()
    return crowd


def _reopen(
    existing: CrowdAssignment, listing: Listing, worker_id: str, at: datetime
) -> CrowdAssignment:
    is_same_worker = existing.participation.worker.is_known_as(worker_id)
    if not is_same_worker or existing.listing_id != listing.pk:
        raise RefusedError(
            gettext(
                "This link was changed: the task belongs to another worker. Go back and open your "
                "own."
            ),
            "arrival-refused",
        )
    _check_may_take_part(existing.participation)
    return resume(existing, at=at)


def _check_may_take_part(participant: Participation) -> None:
    if participant.excluded_at is not None or participant.withdrawn_at is not None:
        raise RefusedError(
            gettext(
                "You no longer take part in this study. Please return this task. Returning it does"
                " not count against you, and what you submitted before is paid."
            ),
            "arrival-refused",
        )


def _assign(listing: Listing, participant: Participation, at: datetime) -> Assignment:
    """Assign the listing's HIT to the worker, or another like it. Raises RefusedError."""
    worker = participant.worker
    assignments = CrowdAssignment.objects.filter(
        participation=participant, assignment__isnull=False
    )
    previous = assignments.filter(listing=listing).last()
    if previous is not None:
        # The platform allows one assignment per worker and listing: the previous one was returned.
        CrowdAssignment.objects.filter(pk=previous.pk, status__in=OPEN_STATES).update(
            status=Status.RETURNED
        )
    original = previous.assignment.hit if previous and previous.assignment else listing.hit
    assert original is not None
    hit = Hit.objects.select_related("stage__study").get(pk=original.pk)
    if hit.stage.paused_at is not None:
        raise RefusedError(
            gettext(
                "The study is paused. Please return the task. Returning it does not count against "
                "you."
            ),
            "arrival-refused",
        )
    # The parts of a HIT have the same candidates: a worker with one part gets another HIT.
    elsewhere = assignments.filter(assignment__hit=hit).exclude(listing=listing)
    assignment = None
    if not elsewhere.exclude(status__in=RETURNED_STATES).exists():
        assignment = handing_out.hand_out_hit(worker, hit, at=at)
    assignment = assignment or handing_out.hand_out_similar(worker, hit, at=at)
    if assignment is None:
        raise RefusedError(
            gettext(
                "You have rated everything in this task before, or the study has all the ratings "
                "it needs. Please return the task. Returning it does not count against you."
            ),
            "arrival-refused",
        )
    return assignment


def _free_place(listing: Listing) -> None:
    """Free a place if the provider admits more workers than there are places.

    In that case a worker has left without a report from the provider. The oldest assignment is
    returned, of those unfinished here if there are any. If it is the wrong one nothing is lost:
    that worker may continue (`resume`), and the submission is accepted and paid.
    """
    rows = CrowdAssignment.objects.filter(listing=listing)
    if rows.exclude(status__in=RETURNED_STATES).count() < listing.places:
        return
    for status in OPEN_STATES:
        crowd = rows.filter(status=status).first()
        if crowd is not None:
            mark_returned(crowd)
            return


def _expire(assignment_id: int) -> None:
    """End the lease of an assignment now, so that it may still be submitted late."""
    assignment = Assignment.objects.select_related("hit__stage").get(pk=assignment_id)
    if assignment.status == Assignment.Status.HELD:
        Assignment.objects.filter(pk=assignment.pk).update(lease_until=assignment.started_at)
        handing_out.release_expired(assignment.hit.stage, at=assignment.started_at)
