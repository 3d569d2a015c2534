"""What all work under a lease shares: who may take it, who holds it and how it stays theirs, when
it is sent again.

The rows have `status`, `attempt`, `tries`, `lease_until` and `sent_at`. `attempt` only grows, and
keeps a holder whose lease lapsed from writing once another took over.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.models import F, Q
from django.utils.timezone import now

logger = logging.getLogger(__name__)

MOST_TRIES = 3
# How long a task may lie in the broker before it is taken to be lost.
MESSAGE_LOST_AFTER = timedelta(minutes=5)


def lease() -> timedelta:
    """How long a holder may be silent."""
    return timedelta(seconds=settings.SCORING_LEASE_SECONDS)


def take(rows: Any, /, *, at: datetime, **reset: Any) -> bool:
    """Take the lease on one of `rows` that is queued, or whose holder's lease has lapsed; False
    where none is. `reset` are fields that begin anew."""
    status = rows.model.Status
    free = Q(status=status.QUEUED) | Q(status=status.RUNNING, lease_until__lt=at)
    taken: int = rows.filter(free).update(
        status=status.RUNNING,
        attempt=F("attempt") + 1,
        tries=F("tries") + 1,
        lease_until=at + lease(),
        **reset,
    )
    return bool(taken)


def held(row: Any) -> Any:
    """The row as a query, empty once it is stopped or another's."""
    model = type(row)
    return model.objects.filter(pk=row.pk, attempt=row.attempt, status=model.Status.RUNNING)


def renew(row: Any, *, at: datetime) -> bool:
    """Prolong the lease; False once the row is stopped or another's."""
    return bool(held(row).update(lease_until=at + lease()))


@contextmanager
def heartbeat(row: Any) -> Iterator[None]:
    """Renew the lease on `row` from a thread of its own, three times in its length, until the block
    ends or it is another's: work may take its time without a report."""
    over = threading.Event()

    def beat() -> None:
        while not over.wait(settings.SCORING_LEASE_SECONDS / 3):
            try:
                if not renew(row, at=now()):
                    break
            except Exception:  # the database may be away for a moment; the next beat tells
                logger.warning("could not renew the lease of %s", row, exc_info=True)
        connection.close()

    thread = threading.Thread(target=beat, name=f"heartbeat of {row}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def stale(rows: Any, *, at: datetime, unclaimed_for: timedelta) -> list[int]:
    """Those of `rows` to send again, which the caller is taken to do: whose lease has lapsed, and
    which were sent `unclaimed_for` ago and never taken. A broker may lose a message, and a task
    sent twice does no harm."""
    status = rows.model.Status
    lapsed = Q(status=status.RUNNING, lease_until__lt=at)
    forgotten = Q(status=status.QUEUED, sent_at__lte=at - unclaimed_for)
    found = list(rows.filter(lapsed | forgotten).values_list("pk", flat=True))
    rows.model.objects.filter(pk__in=found).update(sent_at=at)
    return found
