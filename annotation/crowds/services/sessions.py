"""Crowds whose workers come for a session: in by an address, any number of tasks, out by a code."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from annotation.crowds.models import CrowdAssignment, Listing, Publication
from annotation.crowds.providers.provider import State, Submission
from annotation.crowds.services import identities
from annotation.crowds.services.arrivals import ID, ArrivalRefusedError
from annotation.crowds.services.orders import offer_of, provider_of
from annotation.crowds.services.pages import code_of
from annotation.rating.models import Participation, Worker
from annotation.rating.services import participation
from annotation.rating.services.completion import completion_code

Status = CrowdAssignment.Status
OPEN = (Status.ACCEPTED, Status.RATED)
GONE = (Status.RETURNED, Status.ABANDONED)


@dataclass(frozen=True, slots=True)
class Ending:
    """How a session ends: the code, where to take it (empty: nowhere), after how many tasks."""

    code: str
    url: str
    tasks: int
    done: int

    @property
    def is_reached(self) -> bool:
        return self.done >= self.tasks


def enter(
    listing: Listing, worker_id: str, session_id: str | None, *, at: datetime
) -> CrowdAssignment:
    """Take in the worker whom the panel's address names; at a second visit, the same row.

    `session_id` is None where the panel names no sessions: a worker then has one. Raises
    ArrivalRefusedError, and then nothing has changed.
    """
    if not ID.fullmatch(worker_id) or not (session_id is None or ID.fullmatch(session_id)):
        raise ArrivalRefusedError(
            "The address does not say who you are. Go back to the page that sent you, and open "
            "the study from there."
        )
    publication = listing.publication
    with transaction.atomic():
        Listing.objects.select_for_update().get(pk=listing.pk)
        rows = CrowdAssignment.objects.filter(publication=publication)
        space = provider_of(publication).space
        if session_id is None:
            mine = rows.filter(participation__worker__in=Worker.objects.known_as(space, worker_id))
        else:
            mine = rows.filter(provider_id=session_id)
        before = mine.select_related("participation__worker").first()
        if before is not None:
            if not before.participation.worker.is_known_as(worker_id):
                raise ArrivalRefusedError(
                    "This address was changed: the session is another person's. Go back and open "
                    "your own."
                )
            return before
        if listing.expired_at or publication.status == Publication.Status.ENDED:
            raise ArrivalRefusedError("This study takes nobody in any more. Thank you.")
        # A platform with an API counts its places itself; a link does not.
        full = rows.exclude(status__in=GONE).count() >= listing.places
        if full and not provider_of(publication).pays:
            raise ArrivalRefusedError("This study has all the people it asked for. Thank you.")
        taking_part = participation.join(publication.stage.study, space, worker_id, at=at)
        return CrowdAssignment.objects.create(
            publication=publication,
            listing=listing,
            participation=taking_part,
            provider_id=session_id or f"worker-{taking_part.worker_id}",
            accepted_at=at,
        )


def ending_of(taking_part: Participation, tasks_done: int) -> Ending | None:
    """How the participation's session ends; None for one that came by no crowd's address."""
    crowd = _session(taking_part)
    if crowd is None:
        return None
    provider, offer = provider_of(crowd.publication), offer_of(crowd.publication)
    own = provider.pays
    code = code_of(crowd.publication) if own else completion_code(taking_part)
    return Ending(code, provider.return_url(code, offer), offer.tasks_each, tasks_done)


def end(taking_part: Participation, *, at: datetime) -> None:
    """The worker has done what the session asks for; whether they say so to the platform, it will
    tell us."""
    crowd = _session(taking_part)
    if crowd is not None:
        CrowdAssignment.objects.filter(pk=crowd.pk, status=Status.ACCEPTED).update(
            status=Status.RATED, rated_at=at
        )


def finished(crowd: CrowdAssignment) -> Submission:
    """What a provider without a word of its own would report of who finished here."""
    worker = crowd.participation.worker
    return Submission(
        crowd.provider_id,
        crowd.listing.provider_id,
        identities.identity_of(worker) if worker.identity is not None else "",
        State.SUBMITTED,
        submitted_at=crowd.rated_at,
    )


def _session(taking_part: Participation) -> CrowdAssignment | None:
    rows = CrowdAssignment.objects.filter(participation=taking_part, listing__hit=None)
    return rows.select_related("publication__stage__study", "listing").last()
