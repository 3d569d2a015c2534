"""Deliver messages, with retries for about a day and a half.

A delivery is claimed with a lease and an attempt number, sent, and its outcome stored if the
attempt number is still the same. A killed process loses no message. A receiver may get a message
twice, with the same id.
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

from concord.documents.webhooks import AttemptDocument
from core.security.outgoing.calls import CallError, CallRules, post
from core.webhooks import sealing, signing
from core.webhooks.models import Delivery, Webhook

logger = logging.getLogger(__name__)
Status = Delivery.Status
# The pause after each failed attempt; together about a day and a half.
PAUSES = tuple(
    timedelta(seconds=seconds)
    for seconds in (10, 60, 300, 1800, 3600, 2 * 3600, 4 * 3600, 8 * 3600, 16 * 3600)
)
MAX_ATTEMPTS = len(PAUSES) + 1
MAX_CONSECUTIVE_FAILURES = 3
RETENTION = timedelta(days=30)
MAX_LOGGED_ATTEMPTS = 20
GONE = 410


@dataclass(frozen=True)
class DeliveryOutcome:
    """The outcome of an attempt. `final`: further attempts would not help."""

    status: int | None
    error: str
    milliseconds: int
    final: bool = False
    wait: float | None = None

    @property
    def is_delivered(self) -> bool:
        return not self.error


def due(*, at: datetime, limit: int = 200) -> list[str]:
    """The ids of messages to send now, oldest first."""
    rows = Delivery.objects.due(at).order_by("not_before")[:limit]
    return [str(pk) for pk in rows.values_list("pk", flat=True)]


def deliver(key: str, *, at: datetime) -> DeliveryOutcome | None:
    """Attempt a delivery. Returns None when the message is not due or another process sends it."""
    delivery = claim(key, at=at)
    if delivery is None:
        return None
    outcome = attempt(delivery, at=at)
    settle(delivery, outcome, at=timezone.now())
    return outcome


def claim(key: str, *, at: datetime) -> Delivery | None:
    """Take the lease on a message that is due; None when another process has it."""
    count = (
        Delivery.objects.due(at)
        .filter(pk=key)
        .update(
            status=Status.STARTED,
            attempt=F("attempt") + 1,
            tries=F("tries") + 1,
            lease_until=at + _lease(),
        )
    )
    return Delivery.objects.select_related("webhook__owner").get(pk=key) if count else None


def attempt(delivery: Delivery, *, at: datetime) -> DeliveryOutcome:
    """Send the signed message to the receiver."""
    started = time.monotonic()
    body = delivery.body.encode()

    def outcome(
        status: int | None, error: str = "", **more: bool | float | None
    ) -> DeliveryOutcome:
        milliseconds = round((time.monotonic() - started) * 1000)
        return DeliveryOutcome(status, error, milliseconds, **more)  # type: ignore[arg-type]

    try:
        secret = sealing.unseal(delivery.webhook.sealed_secret)
        headers = signing.headers(secret, str(delivery.pk), int(at.timestamp()), body)
        answer = post(delivery.webhook.url, body, rules(), headers=headers)
    except sealing.WebhookSealError as error:
        return outcome(None, str(error), final=True)
    except CallError as error:
        # A receiver that answers with an error may recover; a refused URL stays refused.
        final = error.status == GONE or (error.permanent and error.status is None)
        return outcome(error.status, str(error), final=final, wait=error.wait)
    return outcome(answer.status)


def settle(delivery: Delivery, outcome: DeliveryOutcome, *, at: datetime) -> None:
    """Store the outcome of an attempt, unless a later attempt has begun."""
    row: AttemptDocument = {
        "at": at.isoformat(timespec="seconds"),
        "status": outcome.status,
        "error": outcome.error,
        "milliseconds": outcome.milliseconds,
    }
    log = [*delivery.log, row][-MAX_LOGGED_ATTEMPTS:]
    is_last = outcome.final or delivery.tries >= MAX_ATTEMPTS
    with transaction.atomic():
        held = delivery.held
        if outcome.is_delivered:
            if held.update(status=Status.DONE, log=log, lease_until=None, finished_at=at):
                Webhook.objects.filter(pk=delivery.webhook_id).update(consecutive_failures=0)
        elif not is_last:
            pause = _pause(delivery.tries, outcome.wait)
            held.update(status=Status.WAITING, log=log, lease_until=None, not_before=at + pause)
        elif held.update(status=Status.FAILED, log=log, lease_until=None, finished_at=at):
            _record_failure(delivery.webhook, outcome, at)


def sweep(*, at: datetime) -> int:
    """Delete messages older than RETENTION. Returns their number."""
    return Delivery.objects.filter(created_at__lt=at - RETENTION).delete()[0]


def rules() -> CallRules:
    """The limits of a call to a receiver."""
    return CallRules(
        allowed_hosts=frozenset(settings.OUTGOING_ALLOWED_HOSTS),
        timeout_seconds=settings.WEBHOOK_TIMEOUT_SECONDS,
        max_bytes=settings.OUTGOING_MAX_BYTES,
        attempts=1,
    )


def _lease() -> timedelta:
    """A lease longer than any attempt."""
    return timedelta(seconds=2 * settings.WEBHOOK_TIMEOUT_SECONDS + 10)


def _pause(tries: int, retry_after: float | None) -> timedelta:
    """The time until the next attempt: from PAUSES, or longer if the receiver asks for it.

    A random part of up to a tenth is added, so that messages that failed together are not sent
    again together.
    """
    pause = PAUSES[min(tries, len(PAUSES)) - 1]
    if retry_after is not None:
        pause = max(pause, min(timedelta(seconds=retry_after), PAUSES[-1]))
    return pause * random.uniform(1.0, 1.1)


def _record_failure(webhook: Webhook, outcome: DeliveryOutcome, at: datetime) -> None:
    """Count a failed message. Turn the webhook off after several, and notify its owner."""
    Webhook.objects.filter(pk=webhook.pk).update(consecutive_failures=F("consecutive_failures") + 1)
    webhook.refresh_from_db()
    if outcome.status != GONE and webhook.consecutive_failures < MAX_CONSECUTIVE_FAILURES:
        return
    reason = (
        "The receiver answered that it is gone (410)."
        if outcome.status == GONE
        else f"{webhook.consecutive_failures} messages in a row could not be delivered. Last "
        f"error: {outcome.error}."
    )
    was_active = Webhook.objects.filter(pk=webhook.pk, disabled_at=None).update(
        disabled_at=at, disabled_reason=reason[:500]
    )
    if was_active:
        transaction.on_commit(lambda: _notify(webhook, reason))


def _notify(webhook: Webhook, reason: str) -> None:
    if not webhook.owner.email:
        return
    try:
        send_mail(
            "Your webhook was turned off",
            f"Your webhook to {webhook.host} was turned off. {reason}\n\n"
            "When the receiver works again, turn the webhook on at your page Webhooks. Waiting "
            "messages are then sent. You can send failed messages again from their pages.\n",
            None,
            [webhook.owner.email],
        )
    except OSError:  # the webhook's page says so too
        logger.warning("could not send an e-mail to the owner of %s", webhook, exc_info=True)
