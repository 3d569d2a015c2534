"""Taking, renewing and losing the lease on a row (see `core.jobs.models`)."""

from __future__ import annotations

import contextvars
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

# How long a task may lie in the broker before it is taken to be lost.
MESSAGE_LOST_AFTER = timedelta(minutes=5)


def length() -> timedelta:
    """How long a worker may be silent before another may take its row."""
    return timedelta(seconds=settings.SCORING_LEASE_SECONDS)


def is_free(model: Any, *, at: datetime) -> Q:
    """Selects rows that wait, or whose lease has lapsed."""
    return Q(status=model.WAITING) | Q(status=model.HELD, lease_until__lt=at)


def take(rows: Any, /, *, at: datetime, **reset: Any) -> bool:
    """Take the lease on one of `rows` that is free; False where none is. `reset` are fields that
    begin anew."""
    taken: int = rows.filter(is_free(rows.model, at=at)).update(
        status=rows.model.HELD,
        attempt=F("attempt") + 1,
        tries=F("tries") + 1,
        lease_until=at + length(),
        **reset,
    )
    return bool(taken)


@contextmanager
def heartbeat(row: Any) -> Iterator[None]:
    """Renew the lease on `row` from a thread, three times in its length, until the block ends or
    another attempt holds it: work may take its time without a report."""
    over = threading.Event()

    def beat() -> None:
        while not over.wait(settings.SCORING_LEASE_SECONDS / 3):
            try:
                if not row.held.update(lease_until=now() + length()):
                    break
            except Exception:  # the database may be away for a moment; the next beat tries again
                logger.warning("could not renew the lease of %s", row, exc_info=True)
        connection.close()

    # With the context of this thread, the lines it logs bear the same job id.
    within = contextvars.copy_context().run
    thread = threading.Thread(target=within, args=(beat,), name=f"heartbeat of {row}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def stale(rows: Any, *, at: datetime, unclaimed_for: timedelta) -> list[int]:
    """The primary keys of rows to send again, which the caller must do: whose lease has lapsed, and
    which were sent `unclaimed_for` ago and never taken. A broker may lose a message, and a task
    that is sent twice does no harm."""
    model = rows.model
    lapsed = Q(status=model.HELD, lease_until__lt=at)
    lost = Q(status=model.WAITING, sent_at__lte=at - unclaimed_for)
    keys = list(rows.filter(lapsed | lost).values_list("pk", flat=True))
    model.objects.filter(pk__in=keys).update(sent_at=at)
    return keys
