"""Writing down what is to be told, in the transaction in which it happens."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from webhooks import events, targets
from webhooks.models import Delivery, Webhook


def emit(
    event: str,
    key: str,
    data: Mapping[str, Any],
    *,
    at: datetime,
    once: str = "",
    only: Iterable[Any] | None = None,
) -> int:
    """A message for every webhook that hears this event of the target `key`; how many.

    Call it where the event is written, in its transaction: both are there or neither. Owners who
    may no longer see the target are told nothing; with `only`, nobody but these accounts is. The
    same `once` is told a webhook once, however often it is emitted. Raises KeyError for an event
    that there is not.
    """
    kind = events.named(event).of
    hearing = Webhook.objects.hearing(event, kind, key)
    if only is not None:
        hearing = hearing.filter(owner__in=list(only))
    body = message(event, data, at)
    deliveries = [
        Delivery(webhook=one, event=event, once=once, body=body, created_at=at, not_before=at)
        for one in hearing.select_related("owner")
        if targets.allows(one.owner, kind, key)
    ]
    return len(Delivery.objects.bulk_create(deliveries, ignore_conflicts=bool(once)))


def message(event: str, data: Mapping[str, Any], at: datetime) -> str:
    """The body as it is signed and sent: JSON {"type", "timestamp", "data"}."""
    told = {"type": event, "timestamp": at.isoformat(), "data": dict(data)}
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))
