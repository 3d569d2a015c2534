"""Doorways for Celery: keys in, everything else in the services. No beat: every worker sweeps."""

from __future__ import annotations

import logging
import threading
import time

from celery import shared_task
from celery.signals import worker_ready
from django.db import OperationalError, connection
from django.utils.timezone import now
from kombu.exceptions import KombuError

from core.webhooks.services import delivering

logger = logging.getLogger(__name__)
SWEEP_SECONDS = 2.0
FORGET_EVERY = 1800  # sweeps: about an hour


@shared_task(
    autoretry_for=(OperationalError,), retry_backoff=True, retry_backoff_max=60, max_retries=10
)
def deliver(key: str) -> None:
    """Send one message; delivered twice, it is sent once."""
    delivering.deliver(key, at=now())


def send_due() -> int:
    """Send tasks for what is due; how many."""
    due = delivering.due(at=now())
    for key in due:
        deliver.delay(key)
    return len(due)


@worker_ready.connect
def sweep_while_the_worker_lives(**_: object) -> None:
    """Every worker looks for what is due: new messages, retries, and what dead workers held."""
    threading.Thread(target=_sweep, name="webhook-sweeper", daemon=True).start()


def _sweep() -> None:
    count = 0
    while True:
        try:
            send_due()
            if count % FORGET_EVERY == 0:
                delivering.sweep(at=now())
        except (OperationalError, KombuError):
            logger.warning("no sweep for webhooks now", exc_info=True)
        finally:
            connection.close()
        count += 1
        time.sleep(SWEEP_SECONDS)
