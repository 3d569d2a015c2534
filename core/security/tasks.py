"""What workers do for the doors: forgetting who asked, once it no longer matters."""

from __future__ import annotations

import logging
import threading
import time

from celery.signals import worker_ready
from django.db import OperationalError, connection
from django.utils.timezone import now

from core.security.limits import buckets

logger = logging.getLogger(__name__)
SWEEP_SECONDS = 60.0


@worker_ready.connect
def sweep_while_the_worker_lives(**_: object) -> None:
    """Every worker deletes counts that say nothing any more, in a thread of its own."""
    threading.Thread(target=_sweep, name="limits-sweeper", daemon=True).start()


def _sweep() -> None:
    while True:
        try:
            buckets.sweep(at=now())
        except OperationalError:
            logger.warning("no sweep of the rate limits now", exc_info=True)
        finally:
            connection.close()
        time.sleep(SWEEP_SECONDS)
