"""Store messages about an event in the transaction of the event."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime

from django.contrib.auth.models import User

from core.refusals import RefusedError
from core.webhooks import events, targets
from core.webhooks.events import ACCOUNT
from core.webhooks.models import Delivery, Webhook


def emit(
    event: str,
    key: str,
    data: Mapping[str, object],
    *,
    at: datetime,
    once: str = "",
    may_see: Callable[[User], bool] = lambda user: True,
    owner: User | None = None,
) -> int:
    """Store a message for every webhook that receives this event. Returns their number.

    Call it in the transaction that writes the event.

    key: the study's slug, the set's name, or the account's primary key.
    once: each webhook gets at most one message with the same `once`; empty: no such limit.
    may_see: returns whether a user may see the event; other users get no message.
    owner: the user to whom the event's subject belongs, if any.

    A webhook's owner must have access to the target. A webhook of an account receives events of
    targets on which the account has a role, and of what it owns. Raises KeyError for an unknown
    event.
    """
    kind = events.event_named(event).of
    body = message(event, data, at)
    deliveries = [
        Delivery(webhook=one, event=event, once=once, body=body, created_at=at, not_before=at)
        for one in Webhook.objects.subscribed_to(event, kind, key).select_related("owner")
        if _is_about(one, kind, key, owner) and may_see(one.owner)
    ]
    return len(Delivery.objects.bulk_create(deliveries, ignore_conflicts=bool(once)))


def _is_about(webhook: Webhook, kind: str, key: str, owner: User | None) -> bool:
    try:
        target = targets.find(webhook.owner, kind, key)
    except RefusedError:
        return False
    return webhook.kind != ACCOUNT or target.is_own or webhook.owner == owner


def message(event: str, data: Mapping[str, object], at: datetime) -> str:
    """The message body: JSON {"type", "timestamp", "data"}."""
    document = {"type": event, "timestamp": at.isoformat(), "data": dict(data)}
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))
