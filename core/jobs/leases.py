"""Leases on rows: taking, renewing and losing one (see `core.jobs.models`)."""

from __future__ import annotations

import contextvars
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import connection
from django.db.models import F, Q, QuerySet
from django.utils.timezone import now

if TYPE_CHECKING:
    from core.jobs.models import Leased, Retryable

logger = logging.getLogger(__name__)

# A task that no worker has taken after this time counts as lost.
MESSAGE_LOST_AFTER = timedelta(minutes=5)
# How far the clocks of machines may differ.
CLOCK_SKEW = timedelta(minutes=1)


def length() -> timedelta:
    """The length of a lease: how long a worker may be silent before it loses its row."""
    return timedelta(seconds=settings.SCORING_LEASE_SECONDS)


def is_free(model: type[Leased], *, at: datetime) -> Q:
    """Select rows that wait or whose lease has expired."""
    return Q(status=model.WAITING) | is_lapsed(model, at=at)


def is_lapsed(model: type[Leased], *, at: datetime) -> Q:
    """Select held rows whose lease has expired.

    A lease that ends later than a new one would was taken before the clock was set back. A living
    worker renews it; waiting for it could take hours.
    """
    is_over = Q(lease_until__lt=at) | Q(lease_until__gt=at + length() + CLOCK_SKEW)
    return is_over & Q(status=model.HELD)


def take(rows: QuerySet[Retryable], /, *, at: datetime, **reset: object) -> bool:
    """Take the lease on the free rows among `rows`. Returns whether there was one.

    reset: fields that get a new value with the new attempt.
    """
    count = rows.filter(is_free(rows.model, at=at)).update(
        **{"status": rows.model.HELD},  # a field of the subclasses
        attempt=F("attempt") + 1,
        tries=F("tries") + 1,
        lease_until=at + length(),
        **reset,
    )
    return bool(count)


@contextmanager
def heartbeat(*rows: Leased) -> Iterator[None]:
    """Renew the leases on `rows` from one thread until the block ends; a row that another attempt
    holds is left to it.

    A lease is renewed three times in its length, so the work need not report progress.
    """
    ended = threading.Event()

    def beat() -> None:
        held = rows
        while held and not ended.wait(settings.SCORING_LEASE_SECONDS / 3):
            try:
                held = tuple(row for row in held if row.held.update(lease_until=now() + length()))
            except Exception:  # such as a short database outage: the next beat tries again
                logger.warning("could not renew the lease of %s", held[0], exc_info=True)
        connection.close()

    # The thread gets a copy of the context, so its log lines have the same job id.
    run_in_context = contextvars.copy_context().run
    thread = threading.Thread(
        target=run_in_context, args=(beat,), name=f"heartbeat of {rows}", daemon=True
    )
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def stale(rows: QuerySet[Retryable], *, at: datetime, unclaimed_for: timedelta) -> list[int]:
    """The primary keys of rows whose task must be sent again; the caller sends them.

    They are the rows whose lease has expired, and those whose task was sent `unclaimed_for` ago and
    never taken: a broker may lose a message. Sending a task twice does no harm.
    """
    model = rows.model
    expired = is_lapsed(model, at=at)
    sent = Q(sent_at__lte=at - unclaimed_for) | Q(sent_at__gt=at + CLOCK_SKEW)
    lost = sent & Q(status=model.WAITING)
    keys = list(rows.filter(expired | lost).values_list("pk", flat=True))
    model._default_manager.filter(pk__in=keys).update(sent_at=at)
    return keys
