"""Writing down what is to be told, in the transaction in which it happens."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from core.webhooks import events, targets
from core.webhooks.events import ACCOUNT
from core.webhooks.models import Delivery, Webhook
from core.webhooks.targets import TargetMissingError


def emit(
    event: str,
    key: str,
    data: Mapping[str, Any],
    *,
    at: datetime,
    once: str = "",
    may_see: Callable[[Any], bool] = lambda user: True,
    whose: Any = None,
) -> int:
    """A message for every webhook that hears this event of the target `key`; how many.

    Call it where the event is written, in its transaction: both are there or neither. Owners who
    may no longer see the target, or for whom `may_see` is false, are told nothing. A webhook about
    all that is an account's hears of targets on which it has a role, and of what is its own
    (`whose` is it). The same `once` is told a webhook once, however often it is emitted. Raises
    KeyError for an event that there is not.
    """
    kind = events.named(event).of
    body = message(event, data, at)
    deliveries = [
        Delivery(webhook=one, event=event, once=once, body=body, created_at=at, not_before=at)
        for one in Webhook.objects.hearing(event, kind, key).select_related("owner")
        if _concerns(one, kind, key, whose) and may_see(one.owner)
    ]
    return len(Delivery.objects.bulk_create(deliveries, ignore_conflicts=bool(once)))


def _concerns(webhook: Webhook, kind: str, key: str, whose: Any) -> bool:
    try:
        target = targets.find(webhook.owner, kind, key)
    except TargetMissingError:
        return False
    return webhook.kind != ACCOUNT or target.is_own or webhook.owner == whose


def message(event: str, data: Mapping[str, Any], at: datetime) -> str:
    """The body as it is signed and sent: JSON {"type", "timestamp", "data"}."""
    told = {"type": event, "timestamp": at.isoformat(), "data": dict(data)}
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))
