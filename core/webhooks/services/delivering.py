"""Sending messages until they are taken, or for about a day; killed at any point, none is lost.

A delivery is claimed in a transaction of its own (a lease and an attempt number), sent, and its
outcome written where the attempt still is the one that was claimed. A receiver may get a message
twice, and knows it by its id.
"""

from __future__ import annotations

import logging
import random
import time
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.core.mail import send_mail
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from core.security.outgoing.calls import CallError, CallRules, post
from core.webhooks import sealing, signing
from core.webhooks.models import AttemptRow, Delivery, Webhook

logger = logging.getLogger(__name__)
Status = Delivery.Status
# After each failed attempt; the last makes it about a day and a half.
PAUSES = tuple(
    timedelta(seconds=seconds)
    for seconds in (10, 60, 300, 1800, 3600, 2 * 3600, 4 * 3600, 8 * 3600, 16 * 3600)
)
MOST_TRIES = len(PAUSES) + 1
MOST_GIVEN_UP = 3
KEPT = timedelta(days=30)
LOG_LINES = 20
GONE = 410


@dataclass(frozen=True)
class Outcome:
    """What came of an attempt. `final`: no later attempt would fare better."""

    status: int | None
    error: str
    milliseconds: int
    final: bool = False
    wait: float | None = None

    @property
    def is_taken(self) -> bool:
        return not self.error


def due(*, at: datetime, most: int = 200) -> list[str]:
    """The keys of messages to send now, oldest first."""
    found = Delivery.objects.due(at).order_by("not_before")[:most]
    return [str(pk) for pk in found.values_list("pk", flat=True)]


def deliver(key: str, *, at: datetime) -> Outcome | None:
    """Send a message once; None when it is taken, given up, held, or not due."""
    delivery = claim(key, at=at)
    if delivery is None:
        return None
    outcome = attempt(delivery, at=at)
    settle(delivery, outcome, at=timezone.now())
    return outcome


def claim(key: str, *, at: datetime) -> Delivery | None:
    """Take the lease on a message that is due; None when another has it."""
    taken = (
        Delivery.objects.due(at)
        .filter(pk=key)
        .update(
            status=Status.STARTED,
            attempt=F("attempt") + 1,
            tries=F("tries") + 1,
            lease_until=at + _lease(),
        )
    )
    return Delivery.objects.select_related("webhook__owner").get(pk=key) if taken else None


def attempt(delivery: Delivery, *, at: datetime) -> Outcome:
    """POST the message, signed, and see what the receiver says."""
    started = time.monotonic()
    body = delivery.body.encode()

    def outcome(status: int | None, error: str = "", **more: bool | float | None) -> Outcome:
        took = round((time.monotonic() - started) * 1000)
        return Outcome(status, error, took, **more)  # type: ignore[arg-type]

    try:
        secret = sealing.unseal(delivery.webhook.sealed_secret)
        headers = signing.headers(secret, str(delivery.pk), int(at.timestamp()), body)
        answer = post(delivery.webhook.url, body, rules(), headers=headers)
    except sealing.SealError as error:
        return outcome(None, str(error), final=True)
    except CallError as error:
        # A receiver that answers wrongly may be mended; an address that is refused stays so.
        final = error.status == GONE or (error.permanent and error.status is None)
        return outcome(error.status, str(error), final=final, wait=error.wait)
    return outcome(answer.status)


def settle(delivery: Delivery, outcome: Outcome, *, at: datetime) -> None:
    """Write down what came of an attempt, unless a later one has begun."""
    line: AttemptRow = {
        "at": at.isoformat(timespec="seconds"),
        "status": outcome.status,
        "error": outcome.error,
        "milliseconds": outcome.milliseconds,
    }
    log = [*delivery.log, line][-LOG_LINES:]
    over = outcome.final or delivery.tries >= MOST_TRIES
    with transaction.atomic():
        mine = delivery.held
        if outcome.is_taken:
            if mine.update(status=Status.DONE, log=log, lease_until=None, finished_at=at):
                Webhook.objects.filter(pk=delivery.webhook_id).update(consecutive_failures=0)
        elif not over:
            pause = _pause(delivery.tries, outcome.wait)
            mine.update(status=Status.WAITING, log=log, lease_until=None, not_before=at + pause)
        elif mine.update(status=Status.FAILED, log=log, lease_until=None, finished_at=at):
            _give_up(delivery.webhook, outcome, at)


def sweep(*, at: datetime) -> int:
    """Forget messages a month old; how many."""
    return Delivery.objects.filter(created_at__lt=at - KEPT).delete()[0]


def rules() -> CallRules:
    """How far a call to a webhook goes; its answer is not read for what it says."""
    return CallRules(
        allowed_hosts=frozenset(settings.OUTGOING_ALLOWED_HOSTS),
        seconds=settings.WEBHOOK_TIMEOUT_SECONDS,
        most_bytes=settings.OUTGOING_MAX_BYTES,
        attempts=1,
    )


def _lease() -> timedelta:
    """Longer than an attempt can take."""
    return timedelta(seconds=2 * settings.WEBHOOK_TIMEOUT_SECONDS + 10)


def _pause(tries: int, asked: float | None) -> timedelta:
    """How long until the next attempt: as the list says or the receiver asks, and up to a tenth
    more by chance, so that what failed together does not come back together."""
    pause = PAUSES[min(tries, len(PAUSES)) - 1]
    if asked is not None:
        pause = max(pause, min(timedelta(seconds=asked), PAUSES[-1]))
    return pause * random.uniform(1.0, 1.1)


def _give_up(webhook: Webhook, outcome: Outcome, at: datetime) -> None:
    """Count it, and turn off a webhook that takes nothing any more; its owner is told."""
    Webhook.objects.filter(pk=webhook.pk).update(consecutive_failures=F("consecutive_failures") + 1)
    webhook.refresh_from_db()
    if outcome.status != GONE and webhook.consecutive_failures < MOST_GIVEN_UP:
        return
    reason = (
        "The receiver says that it is gone (410)."
        if outcome.status == GONE
        else f"{webhook.consecutive_failures} messages in a row could not be delivered; the last: "
        f"{outcome.error}."
    )
    turned_off = Webhook.objects.filter(pk=webhook.pk, disabled_at=None).update(
        disabled_at=at, disabled_reason=reason[:500]
    )
    if turned_off:
        transaction.on_commit(lambda: _notify(webhook, reason))


def _notify(webhook: Webhook, reason: str) -> None:
    if not webhook.owner.email:
        return
    try:
        send_mail(
            "A webhook was turned off",
            f"Your webhook to {webhook.host} was turned off. {reason}\n\n"
            "When the receiver works again, turn the webhook on under Webhooks. What waited is "
            "then sent; what was given up can be sent again from its page.\n",
            None,
            [webhook.owner.email],
        )
    except OSError:  # its page says so all the same
        logger.warning("the owner of %s was not told by mail", webhook, exc_info=True)
