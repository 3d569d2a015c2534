"""What people enter about webhooks, on pages and in the API."""

from __future__ import annotations

from dataclasses import dataclass, field

from concord.bounds import REQUIRED, choice_of, items, text
from core.webhooks import events


@dataclass(frozen=True, slots=True)
class ChangeWebhook:
    """The URL of a webhook and its events."""

    url: str = field(
        metadata=text(
            2000,
            required=REQUIRED,
            label="URL",
            help="An https:// URL on the public internet.",
        )
    )
    events: tuple[str, ...] = field(
        metadata=items(len(events.NAMES), min_items=1, each=choice_of(events.NAMES), label="Events")
    )
