"""Keeping a lease while its holder works."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Protocol, TypeVar

from django.conf import settings
from django.db import connection
from django.utils.timezone import now

logger = logging.getLogger(__name__)


Held = TypeVar("Held", contravariant=True)


class Renewal(Protocol[Held]):
    """Prolongs a lease; False where it is another's by now."""

    def __call__(self, held: Held, /, *, at: datetime) -> bool: ...


@contextmanager
def heartbeat(held: Held, renew: Renewal[Held]) -> Iterator[None]:
    """Renew the lease on what is `held` from a thread of its own, three times in its length, until
    the block ends or it is another's: work may take its time without a report."""
    over = threading.Event()

    def beat() -> None:
        while not over.wait(settings.SCORING_LEASE_SECONDS / 3):
            try:
                if not renew(held, at=now()):
                    break
            except Exception:  # the database may be away for a moment; the next beat tells
                logger.warning("could not renew the lease of %s", held, exc_info=True)
        connection.close()

    thread = threading.Thread(target=beat, name=f"heartbeat of {held}", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
