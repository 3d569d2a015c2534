"""Doorways for Celery: primary keys in, everything else in the services.

Delivered twice, each works once: a publication's calls are claimed one by one, and what a provider
reports is taken in however often it is reported. No beat: every worker sweeps.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from celery import Task, shared_task
from celery.signals import worker_ready
from django.db import OperationalError, connection, transaction
from django.utils.timezone import now
from kombu.exceptions import KombuError

from annotation.services import announcing, retention
from annotation.services.crowds import running

logger = logging.getLogger(__name__)
SWEEP_SECONDS = 20.0
DROP_SECONDS = 3600.0


def doorway(work: Callable[[int], None]) -> Task[[int], None]:
    """A task that waits and comes again when the database is away for a moment."""
    return shared_task(
        autoretry_for=(OperationalError,), retry_backoff=True, retry_backoff_max=60, max_retries=10
    )(work)


@doorway
def make_crowd_calls(publication_id: int) -> None:
    """Make the calls of a publication's outbox."""
    running.work(publication_id)


@doorway
def sync_crowd(publication_id: int) -> None:
    """Take in what the provider says, and make the calls that follow from it."""
    running.reconcile(publication_id, at=now())
    running.work(publication_id)


@shared_task
def drop_old_identities() -> None:
    """Drop the ids of workers whose term is over."""
    retention.release_due(at=now())


def after_commit(task: Task[[int], None], publication_id: int) -> None:
    """Send a task once what it is about is there to be seen."""
    transaction.on_commit(lambda: task.delay(publication_id))


def sweep() -> None:
    """Send what is due: calls whose message was lost or whose worker died, and syncs; and tell of
    stages that are complete."""
    announcing.complete_stages(at=now())
    for publication_id in running.with_calls_to_make(at=now()):
        make_crowd_calls.delay(publication_id)
    for publication_id in running.to_sync(at=now()):
        sync_crowd.delay(publication_id)


@worker_ready.connect
def sweep_while_the_worker_lives(**_: object) -> None:
    """Every worker looks for what is due, in a thread of its own."""
    threading.Thread(target=_sweep, name="crowd-sweeper", daemon=True).start()


def _sweep() -> None:
    next_drop = 0.0
    while True:
        try:
            sweep()
            if time.monotonic() >= next_drop:
                drop_old_identities.delay()
                next_drop = time.monotonic() + DROP_SECONDS
        except (OperationalError, KombuError):
            logger.warning("no sweep of the crowds now", exc_info=True)
        finally:
            connection.close()
        time.sleep(SWEEP_SECONDS)
