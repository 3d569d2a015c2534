"""Create, change and remove webhooks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TypedDict

from django.conf import settings
from django.contrib.auth import get_user_model
from django.contrib.auth.models import User
from django.db import transaction

from concord.sentences import to_sentence
from core import audit
from core.refusals import RefusedError
from core.security.outgoing.addresses import AddressRefusedError, resolve
from core.webhooks import events, sealing, signing, targets
from core.webhooks.models import Delivery, Webhook
from core.webhooks.services.emitting import message

MAX_PER_ACCOUNT = 50
Status = Delivery.Status


def subscribe(
    owner: User, kind: str, key: str, url: str, event_names: Sequence[str], *, at: datetime
) -> tuple[Webhook, str]:
    """Create a webhook. Returns it and its secret, which is to be shown once.

    Raises RefusedError for a URL that this server does not call, for missing or unknown
    events, and for too many webhooks; also for a target without access.
    """
    target = targets.find(owner, kind, key)
    _check(kind, url, event_names)
    secret = signing.new_secret()
    with transaction.atomic():
        get_user_model().objects.select_for_update().get(pk=owner.pk)
        if Webhook.objects.of(owner).count() >= MAX_PER_ACCOUNT:
            raise RefusedError(
                f"You have {MAX_PER_ACCOUNT} webhooks, which is the maximum. Remove one first.",
                "webhook-refused",
            )
        webhook = Webhook.objects.create(
            owner=owner,
            kind=target.kind,
            key=target.key,
            url=url,
            events=list(event_names),
            sealed_secret=sealing.seal(secret),
            created_at=at,
        )
        _record(owner, "webhook.created", webhook, after=_state(webhook))
    return webhook, secret


def change(webhook: Webhook, url: str, event_names: Sequence[str], *, by: User) -> None:
    """Change the URL or the events. Raises RefusedError."""
    _check(webhook.kind, url, event_names)
    before = _state(webhook)
    webhook.url, webhook.events = url, list(event_names)
    with transaction.atomic():
        webhook.save(update_fields=["url", "events"])
        _record(by, "webhook.changed", webhook, before, _state(webhook))


def renew_secret(webhook: Webhook, *, by: User) -> str:
    """Replace the secret. Returns the new one, which is to be shown once."""
    secret = signing.new_secret()
    webhook.sealed_secret = sealing.seal(secret)
    with transaction.atomic():
        webhook.save(update_fields=["sealed_secret"])
        _record(by, "webhook.secret-renewed", webhook)
    return secret


def turn_off(webhook: Webhook, *, by: User, at: datetime) -> None:
    """Stop sending and storing messages. Waiting messages stay for a month."""
    webhook.disabled_at, webhook.disabled_reason = at, "Turned off by its owner."
    with transaction.atomic():
        webhook.save(update_fields=["disabled_at", "disabled_reason"])
        _record(by, "webhook.turned-off", webhook)


def turn_on(webhook: Webhook, *, by: User) -> None:
    """Start sending again, waiting messages first."""
    webhook.disabled_at, webhook.disabled_reason, webhook.consecutive_failures = None, "", 0
    with transaction.atomic():
        webhook.save(update_fields=["disabled_at", "disabled_reason", "consecutive_failures"])
        _record(by, "webhook.turned-on", webhook)


def remove(webhook: Webhook, *, by: User) -> None:
    """Delete the webhook and its messages."""
    with transaction.atomic():
        _record(by, "webhook.removed", webhook, before=_state(webhook))
        webhook.delete()


def redeliver(delivery: Delivery, *, at: datetime) -> None:
    """Send a message again with the same id. Raises RefusedError while it is being sent."""
    ended = Delivery.objects.filter(pk=delivery.pk, status__in=(Status.DONE, Status.FAILED))
    if not ended.update(status=Status.WAITING, tries=0, not_before=at, finished_at=None):
        raise RefusedError("This message is still being delivered.", "webhook-refused")


def ping(webhook: Webhook, *, at: datetime) -> Delivery:
    """Send a test message without data."""
    data = {"webhook": webhook.pk}
    return Delivery.objects.create(
        webhook=webhook,
        event=events.PING,
        body=message(events.PING, data, at),
        created_at=at,
        not_before=at,
    )


def _check(kind: str, url: str, event_names: Sequence[str]) -> None:
    known_names = {event.name for event in events.of_kind(kind)}
    if not event_names:
        raise RefusedError("Choose at least one event.", "webhook-refused", "events")
    if unknown := sorted(set(event_names) - known_names):
        raise RefusedError(
            f"Unknown event for a {kind}: {', '.join(unknown)}.", "webhook-refused", "events"
        )
    try:
        resolve(url, settings.OUTGOING_ALLOWED_HOSTS)
    except AddressRefusedError as error:
        raise RefusedError(to_sentence(error), "webhook-refused", "url") from error


class WebhookState(TypedDict):
    """What the audit log records of a webhook."""

    receiver: str
    events: list[str]


def _state(webhook: Webhook) -> WebhookState:
    """The state for the audit log. The URL is without its path, which may contain a secret."""
    return {"receiver": webhook.host, "events": sorted(webhook.events)}


def _record(
    by: User,
    action: str,
    webhook: Webhook,
    before: WebhookState | None = None,
    after: WebhookState | None = None,
) -> None:
    audit.record(
        by,
        action,
        ("webhook", f"{webhook.host} ({webhook.kind} {webhook.key})"),
        before,
        after,
        judgment_set=webhook.key if webhook.kind == events.SET else None,
    )
