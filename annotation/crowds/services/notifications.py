"""MTurk's notifications from a queue: hints that come early, late, twice or never.

Each says that something happened to an assignment. What a hint cannot be trusted with, the
provider is asked: only a submission that it reports counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from annotation.crowds.models import CrowdAssignment, CrowdEvent, Listing, Publication
from annotation.crowds.providers.mturk.queue import Queue
from annotation.crowds.providers.provider import CrowdError, Provider, State
from annotation.crowds.services import arrivals, syncing
from annotation.crowds.services.orders import offer_of, provider_of

Status = CrowdAssignment.Status
GONE = {"AssignmentReturned": Status.RETURNED, "AssignmentAbandoned": Status.ABANDONED}
ASK = {"AssignmentSubmitted", "HITReviewable", "AssignmentApproved", "AssignmentRejected"}


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a notification; `key` is the same whenever it is delivered again."""

    key: str
    kind: str
    listing_id: str
    assignment_id: str


def events_of(body: str) -> Iterator[Event]:
    """The events of a message, in SNS's envelope or without. Raises CrowdError for others."""
    try:
        given = json.loads(body)
        if "Events" not in given and "Message" in given:
            given = json.loads(given["Message"])
        document = str(given.get("EventDocId", ""))
        for at, event in enumerate(given["Events"]):
            yield _event(document, at, event)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CrowdError("That is no notification of Mechanical Turk.") from error


def take_in(publication: Publication, body: str, *, provider: Provider, at: datetime) -> int:
    """Take the events of a message in; how many were new. The same message again changes nothing.

    An event is written down once its work is done: killed in between, it is done again.
    """
    new = 0
    for event in events_of(body):
        seen = CrowdEvent.objects.filter(publication=publication, key=event.key)
        listing = _listing(publication, event)
        if seen.exists() or listing is None:
            continue
        _act(listing, event, provider, at)
        CrowdEvent.objects.get_or_create(
            publication=publication, key=event.key, defaults={"kind": event.kind, "at": at}
        )
        new += 1
    return new


def drain(
    publication: Publication,
    *,
    queue: Queue | None = None,
    provider: Provider | None = None,
    at: datetime,
) -> int:
    """Take in what waits in the publication's queue; how many events were new. Raises CrowdError.

    A message is deleted after it was taken in, and one that is not MTurk's too: it would come
    back for ever. One of another publication stays for that one.
    """
    address = offer_of(publication).queue
    if not address:
        return 0
    queue, provider = queue or Queue(address), provider or provider_of(publication)
    new = 0
    for message in queue.messages():
        try:
            if not _is_ours(publication, message.body):
                continue
            new += take_in(publication, message.body, provider=provider, at=at)
        except CrowdError as error:
            if not error.permanent:
                raise
        queue.delete(message)
    return new


def _act(listing: Listing, event: Event, provider: Provider, at: datetime) -> None:
    if event.kind in GONE:
        crowd = CrowdAssignment.objects.filter(
            publication=listing.publication_id, provider_id=event.assignment_id
        ).first()
        if crowd is not None:
            arrivals.gave_back(crowd, GONE[event.kind])
    elif event.kind in ASK:
        for submission in provider.submissions(listing.provider_id):
            if submission.state != State.ACCEPTED:
                syncing.take_in(listing, submission, at=at)


def _event(document: str, at: int, event: Mapping[str, Any]) -> Event:
    kind, hit = str(event["EventType"]), str(event.get("HITId", ""))
    assignment = str(event.get("AssignmentId", ""))
    stamp = str(event.get("EventTimestamp", ""))
    key = f"{document}/{at}" if document else f"{kind}/{hit}/{assignment}/{stamp}"
    return Event(key[:200], kind, hit, assignment)


def _listing(publication: Publication, event: Event) -> Listing | None:
    rows = publication.listings.select_related("publication__stage__study", "hit__stage__study")
    return rows.filter(provider_id=event.listing_id).exclude(provider_id="").first()


def _is_ours(publication: Publication, body: str) -> bool:
    """Whether a message speaks of the publication, or of nothing that any publication knows."""
    ids = [event.listing_id for event in events_of(body)]
    owners = set(Listing.objects.filter(provider_id__in=ids).values_list("publication", flat=True))
    return publication.pk in owners or not owners
