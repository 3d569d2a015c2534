"""Making, changing and removing webhooks."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, TypedDict

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction

from concord.sentences import to_sentence
from core import audit
from core.security.outgoing.addresses import AddressRefusedError, resolve
from core.webhooks import events, sealing, signing, targets
from core.webhooks.models import Delivery, Webhook
from core.webhooks.services.emitting import message

MOST_PER_ACCOUNT = 50
Status = Delivery.Status


class WebhookRefusedError(ValueError):
    """It cannot be made or changed like that; `field` is the one at fault, if it is one."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


def subscribe(
    owner: Any, kind: str, key: str, url: str, heard: Sequence[str], *, at: datetime
) -> tuple[Webhook, str]:
    """A new webhook and its secret, which is shown now and never again.

    Raises WebhookRefusedError for an address that this server does not call, for no or unknown
    events and for one too many; TargetMissingError for what the owner must not know of.
    """
    target = targets.find(owner, kind, key)
    _check(kind, url, heard)
    secret = signing.new_secret()
    with transaction.atomic():
        get_user_model().objects.select_for_update().get(pk=owner.pk)
        if Webhook.objects.of(owner).count() >= MOST_PER_ACCOUNT:
            raise WebhookRefusedError(
                f"You have {MOST_PER_ACCOUNT} webhooks, which is the most: remove one first."
            )
        webhook = Webhook.objects.create(
            owner=owner,
            kind=target.kind,
            key=target.key,
            url=url,
            events=list(heard),
            sealed_secret=sealing.seal(secret),
            created_at=at,
        )
        _record(owner, "webhook.created", webhook, after=_state(webhook))
    return webhook, secret


def change(webhook: Webhook, url: str, heard: Sequence[str], *, by: Any) -> None:
    """Another address or other events. Raises WebhookRefusedError."""
    _check(webhook.kind, url, heard)
    before = _state(webhook)
    webhook.url, webhook.events = url, list(heard)
    with transaction.atomic():
        webhook.save(update_fields=["url", "events"])
        _record(by, "webhook.changed", webhook, before, _state(webhook))


def renew_secret(webhook: Webhook, *, by: Any) -> str:
    """A new secret, shown now and never again; the old one signs nothing from now on."""
    secret = signing.new_secret()
    webhook.sealed_secret = sealing.seal(secret)
    with transaction.atomic():
        webhook.save(update_fields=["sealed_secret"])
        _record(by, "webhook.secret-renewed", webhook)
    return secret


def turn_off(webhook: Webhook, *, by: Any, at: datetime) -> None:
    """Send nothing and note nothing new; what waits is kept, for a month."""
    webhook.disabled_at, webhook.disabled_reason = at, "Turned off by hand."
    with transaction.atomic():
        webhook.save(update_fields=["disabled_at", "disabled_reason"])
        _record(by, "webhook.turned-off", webhook)


def turn_on(webhook: Webhook, *, by: Any) -> None:
    """Send again, first what has waited."""
    webhook.disabled_at, webhook.disabled_reason, webhook.consecutive_failures = None, "", 0
    with transaction.atomic():
        webhook.save(update_fields=["disabled_at", "disabled_reason", "consecutive_failures"])
        _record(by, "webhook.turned-on", webhook)


def remove(webhook: Webhook, *, by: Any) -> None:
    """The webhook and its log go."""
    with transaction.atomic():
        _record(by, "webhook.removed", webhook, before=_state(webhook))
        webhook.delete()


def redeliver(delivery: Delivery, *, at: datetime) -> None:
    """Send a message again, under its own id. Raises WebhookRefusedError while it is on its way."""
    over = Delivery.objects.filter(pk=delivery.pk, status__in=(Status.DONE, Status.FAILED))
    if not over.update(status=Status.WAITING, tries=0, not_before=at, finished_at=None):
        raise WebhookRefusedError("This message is still on its way.")


def ping(webhook: Webhook, *, at: datetime) -> Delivery:
    """A message that says nothing, to see whether the receiver takes it."""
    data = {"webhook": webhook.pk}
    return Delivery.objects.create(
        webhook=webhook,
        event=events.PING,
        body=message(events.PING, data, at),
        created_at=at,
        not_before=at,
    )


def _check(kind: str, url: str, heard: Sequence[str]) -> None:
    known = {event.name for event in events.of_kind(kind)}
    if not heard:
        raise WebhookRefusedError("Choose at least one event.", "events")
    if unknown := sorted(set(heard) - known):
        raise WebhookRefusedError(f"A {kind} has no event {', '.join(unknown)}.", "events")
    try:
        resolve(url, settings.OUTGOING_ALLOWED_HOSTS)
    except AddressRefusedError as error:
        raise WebhookRefusedError(to_sentence(error), "url") from error


class WebhookState(TypedDict):
    """What the audit keeps of a webhook."""

    receiver: str
    events: list[str]


def _state(webhook: Webhook) -> WebhookState:
    """What the audit keeps of it: the address without its path, which may hold a secret."""
    return {"receiver": webhook.host, "events": sorted(webhook.events)}


def _record(
    by: Any,
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
