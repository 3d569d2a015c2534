"""What people enter about webhooks, on pages and in the API."""

from __future__ import annotations

from dataclasses import dataclass, field

from concord.bounds import REQUIRED, choice, choice_of, items, text
from core.webhooks import events
from core.webhooks.events import ACCOUNT, SET, STUDY


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


@dataclass(frozen=True, slots=True)
class NewWebhook(ChangeWebhook):
    """The URL of a webhook, its events, and what they are about."""

    kind: str = field(
        default=ACCOUNT,
        metadata=choice(
            (STUDY, SET, ACCOUNT), help="account: all events of your studies and judgment sets."
        ),
    )
    key: str = field(default="", metadata=text(200, help="A study's slug or a set's name."))
