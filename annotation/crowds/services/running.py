"""Keeping publications going: who works on one now, which need it, and what it is."""

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

logger = logging.getLogger(__name__)
LOCKS = 0x43524F57  # the first half of PostgreSQL's advisory lock keys: ours
SYNC_EVERY = timedelta(minutes=5)
Status = CrowdAssignment.Status


def work(publication_id: int) -> outbox.Run | None:
    """Make a publication's calls; None when another process is at it, which will do as well."""
    publication = Publication.objects.select_related("stage__study").get(pk=publication_id)
    with alone(publication_id) as is_alone:
        return outbox.run(publication) if is_alone else None


def reconcile(publication_id: int, *, at: datetime) -> None:
    """Take in what the queue and the provider say. What is in the way is told on the page."""
    publication = Publication.objects.select_related("stage__study").get(pk=publication_id)
    try:
        notifications.drain(publication, at=at)
    except CrowdError as error:
        # The queue only brings news sooner: without it the provider is asked all the same.
        logger.warning("%s: %s", publication, error)
    try:
        syncing.sync(publication, at=at)
    except CrowdError as error:
        if error.permanent:
            Publication.objects.filter(pk=publication_id).update(problem=str(error))
        else:
            logger.warning("%s was not synced: %s", publication, error)


def with_calls_to_make(*, at: datetime) -> list[int]:
    """Publications whose outbox has something to do now."""
    due = Q(status="waiting") & (Q(not_before=None) | Q(not_before__lte=at))
    lapsed = Q(status="started", lease_until__lte=at)
    calls = CrowdCall.objects.filter(due | lapsed, publication=OuterRef("pk"))
    rows = Publication.objects.filter(Exists(calls), problem="")
    return list(rows.values_list("pk", flat=True))


def to_sync(*, at: datetime, every: timedelta = SYNC_EVERY) -> list[int]:
    """Publications that may have news, and whose turn this caller has taken: of several that ask
    at the same time one gets each."""
    open_ = CrowdAssignment.objects.filter(
        publication=OuterRef("pk"), status__in=(Status.ACCEPTED, Status.RATED, Status.SUBMITTED)
    )
    news = Q(status=Publication.Status.LIVE) | (Q(status=Publication.Status.ENDED) & Exists(open_))
    stale = Q(sync_asked_at=None) | Q(sync_asked_at__lte=at - every)
    rows = Publication.objects.filter(news, stale, problem="")
    return [pk for pk in rows.values_list("pk", flat=True) if ask(pk, at=at, every=every)]


def ask(publication_id: int, *, at: datetime, every: timedelta = timedelta(0)) -> bool:
    """Note that a sync is asked for; False where another has asked meanwhile."""
    stale = Q(sync_asked_at=None) | Q(sync_asked_at__lte=at - every)
    rows = Publication.objects.filter(stale, pk=publication_id)
    return bool(rows.update(sync_asked_at=at))


@contextmanager
def alone(publication_id: int) -> Iterator[bool]:
    """Whether this process alone is at the publication's calls while the block lasts.

    Two would do no harm, but run into the provider's limit together. The lock is of a
    transaction on a connection of its own, so that it holds where PgBouncer pools by transactions,
    too; a process that is killed gives it up.
    """
    own = connection.copy()
    own.set_autocommit(False)
    try:
        with own.cursor() as cursor:
            cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [LOCKS, publication_id])
            (is_alone,) = cursor.fetchone()
        yield is_alone
        own.rollback()  # gives it up at once; a pooler takes a moment to notice an end
    finally:
        own.close()
