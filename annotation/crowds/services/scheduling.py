"""Which publications need work now, and the work itself: making calls and syncing."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import Exists, OuterRef, Q

from annotation.crowds.models import CrowdAssignment, CrowdCall, Publication
from annotation.crowds.providers.provider import CrowdError
from annotation.crowds.services import notifications, outbox, syncing
from core.jobs.leases import CLOCK_SKEW

logger = logging.getLogger(__name__)
LOCKS = 0x43524F57  # the first half of our PostgreSQL advisory lock keys
SYNC_EVERY = timedelta(minutes=5)
Status = CrowdAssignment.Status


def make_calls(publication_id: int) -> outbox.OutboxResult | None:
    """Make a publication's calls; None if another process is making them."""
    publication = Publication.objects.select_related("stage__study").get(pk=publication_id)
    with exclusive(publication_id) as is_exclusive:
        return outbox.run(publication) if is_exclusive else None


def sync_publication(publication_id: int, *, at: datetime) -> None:
    """Process the queue and sync with the provider. Problems are shown on the page."""
    publication = Publication.objects.select_related("stage__study").get(pk=publication_id)
    try:
        notifications.process_queue(publication, at=at)
    except CrowdError as error:
        # The queue only makes syncing faster: without it the provider is asked all the same.
        logger.warning("%s: %s", publication, error)
    try:
        syncing.sync(publication, at=at)
    except CrowdError as error:
        if error.permanent:
            Publication.objects.filter(pk=publication_id).update(problem=str(error))
        else:
            logger.warning("%s was not synced: %s", publication, error)


def publications_with_due_calls(*, at: datetime) -> list[int]:
    """Publications with calls that can be made now."""
    calls = CrowdCall.objects.filter(outbox.can_be_made(at), publication=OuterRef("pk"))
    rows = Publication.objects.filter(Exists(calls), problem="")
    return list(rows.values_list("pk", flat=True))


def claim_due_syncs(*, at: datetime, every: timedelta = SYNC_EVERY) -> list[int]:
    """Publications to sync now. Of several processes, one gets each publication."""
    undecided = CrowdAssignment.objects.filter(
        publication=OuterRef("pk"), status__in=(Status.ACCEPTED, Status.RATED, Status.SUBMITTED)
    )
    may_change = Q(status=Publication.Status.LIVE) | (
        Q(status=Publication.Status.ENDED) & Exists(undecided)
    )
    rows = Publication.objects.filter(may_change, _is_stale(at, every), problem="")
    return [pk for pk in rows.values_list("pk", flat=True) if request_sync(pk, at=at, every=every)]


def request_sync(publication_id: int, *, at: datetime, every: timedelta = timedelta(0)) -> bool:
    """Record the request for a sync; False if another process has requested it."""
    rows = Publication.objects.filter(_is_stale(at, every), pk=publication_id)
    return bool(rows.update(sync_requested_at=at))


def _is_stale(at: datetime, every: timedelta) -> Q:
    """Select publications for which no sync was requested lately, by a clock that may have been set
    back since."""
    long_ago = Q(sync_requested_at__lte=at - every) | Q(sync_requested_at__gt=at + CLOCK_SKEW)
    return Q(sync_requested_at=None) | long_ago


@contextmanager
def exclusive(publication_id: int) -> Iterator[bool]:
    """Whether this process has the exclusive right to make the publication's calls.

    Two processes would be correct, but reach the provider's rate limit together. The lock belongs
    to a transaction on its own connection, so that it also works where PgBouncer pools by
    transaction. A killed process releases it.
    """
    own = connection.copy()
    own.set_autocommit(False)
    try:
        with own.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [LOCKS, publication_id])
            (is_exclusive,) = cursor.fetchone()
        yield is_exclusive
        own.rollback()  # release it at once: a pooler notices a closed connection late
    finally:
        own.close()
