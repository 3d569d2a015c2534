"""MTurk's notifications from a queue.

Notifications may arrive early, late, repeatedly or never. So a notification only triggers a request
to the provider, and only a submission that the provider reports counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from annotation.crowds.models import CrowdAssignment, CrowdEvent, Listing, Publication
from annotation.crowds.providers.mturk.queue import Queue
from annotation.crowds.providers.provider import CrowdError, Provider, State
from annotation.crowds.services import arrivals, syncing
from annotation.crowds.services.publication_specs import offer_of, provider_of, queue_of

Status = CrowdAssignment.Status
RETURNED_KINDS = {"AssignmentReturned": Status.RETURNED, "AssignmentAbandoned": Status.ABANDONED}
SUBMISSION_KINDS = {
    "AssignmentSubmitted",
    "HITReviewable",
    "AssignmentApproved",
    "AssignmentRejected",
}


@dataclass(frozen=True, slots=True)
class NotifiedEvent:
    """One event of a notification. `key` is the same for every delivery."""

    key: str
    kind: str
    listing_id: str
    assignment_id: str


def events_of(body: str) -> Iterator[NotifiedEvent]:
    """The events of a message, with or without SNS's envelope. Raises CrowdError for other
    texts."""
    try:
        content = json.loads(body)
        if "Events" not in content and "Message" in content:
            content = json.loads(content["Message"])
        document = str(content.get("EventDocId", ""))
        for index, event in enumerate(content["Events"]):
            yield _event(document, index, event)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise CrowdError("The message is not a notification of Mechanical Turk.") from error


def process_message(
    publication: Publication, body: str, *, provider: Provider, at: datetime
) -> int:
    """Process the events of a message; returns how many were new.

    An event is stored after it was processed, so an event that was interrupted is processed again.
    """
    new_events = 0
    for event in events_of(body):
        earlier = CrowdEvent.objects.filter(publication=publication, key=event.key)
        listing = _listing(publication, event)
        if earlier.exists() or listing is None:
            continue
        _process(listing, event, provider, at)
        CrowdEvent.objects.get_or_create(
            publication=publication, key=event.key, defaults={"kind": event.kind, "at": at}
        )
        new_events += 1
    return new_events


def process_queue(
    publication: Publication,
    *,
    queue: Queue | None = None,
    provider: Provider | None = None,
    at: datetime,
) -> int:
    """Process the messages in the publication's queue; returns how many events were new.

    A message is deleted after it was processed, and if it is not one of MTurk's. A message of
    another publication stays in the queue. Raises CrowdError.
    """
    if not offer_of(publication).queue:
        return 0
    queue, provider = queue or queue_of(publication), provider or provider_of(publication)
    new_events = 0
    for message in queue.messages():
        try:
            if not _concerns(publication, message.body):
                continue
            new_events += process_message(publication, message.body, provider=provider, at=at)
        except CrowdError as error:
            if not error.permanent:
                raise
        queue.delete(message)
    return new_events


def _process(listing: Listing, event: NotifiedEvent, provider: Provider, at: datetime) -> None:
    if event.kind in RETURNED_KINDS:
        crowd = CrowdAssignment.objects.filter(
            publication=listing.publication_id, provider_id=event.assignment_id
        ).first()
        if crowd is not None:
            arrivals.mark_returned(crowd, RETURNED_KINDS[event.kind])
    elif event.kind in SUBMISSION_KINDS:
        for submission in provider.submissions(listing.provider_id):
            if submission.state != State.ACCEPTED:
                syncing.record_submission(listing, submission, at=at)


def _event(document: str, index: int, event: Mapping[str, object]) -> NotifiedEvent:
    kind, hit = str(event["EventType"]), str(event.get("HITId", ""))
    assignment = str(event.get("AssignmentId", ""))
    timestamp = str(event.get("EventTimestamp", ""))
    key = f"{document}/{index}" if document else f"{kind}/{hit}/{assignment}/{timestamp}"
    return NotifiedEvent(key[:200], kind, hit, assignment)


def _listing(publication: Publication, event: NotifiedEvent) -> Listing | None:
    rows = publication.listings.select_related("publication__stage__study", "hit__stage__study")
    return rows.filter(provider_id=event.listing_id).exclude(provider_id="").first()


def _concerns(publication: Publication, body: str) -> bool:
    """Whether a message concerns this publication, or no publication at all."""
    ids = [event.listing_id for event in events_of(body)]
    owners = set(Listing.objects.filter(provider_id__in=ids).values_list("publication", flat=True))
    return publication.pk in owners or not owners
