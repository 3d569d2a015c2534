"""Webhooks: the addresses that are told of what happens, and the messages that were sent."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from concord.client.documents import Document, JudgmentSet, Study
from concord.client.retrying import Asking, part


@dataclass(frozen=True, kw_only=True)
class Webhook(Document):
    """It receives the events of the study or set `key`, or all events of the account.

    `has_access`: whether the account may still see that. The webhook is on while `disabled_at` is
    None.
    """

    id: int
    kind: str
    key: str
    has_access: bool
    url: str
    events: Sequence[str]
    created_at: datetime
    disabled_at: datetime | None
    disabled_reason: str
    consecutive_failures: int


@dataclass(frozen=True, kw_only=True)
class WebhookMessage(Document):
    """What was sent to a webhook, and what came of it: `last` is the latest attempt. `id` is the
    receiver's, too."""

    id: str
    event: str
    status: str
    created_at: datetime
    next_at: datetime | None
    finished_at: datetime | None
    tries: int
    last: Mapping[str, Any] | None


AnyWebhook = Webhook | int


class Webhooks(Asking):
    """A webhook is given as its document, or by its number."""

    def webhook_events(self) -> dict[str, str]:
        """What a webhook may hear of: names, with what happened."""
        told = self._every(Document, "/webhook-events")
        return {one.raw["name"]: one.raw["title"] for one in told}

    def webhooks(self) -> Iterator[Webhook]:
        """Yours, latest first."""
        return self._every(Webhook, "/webhooks")

    def webhook(self, which: AnyWebhook) -> Webhook:
        return self._one(Webhook, _at(which))

    def make_webhook(
        self, url: str, events: Sequence[str], *, about: Study | JudgmentSet | None = None
    ) -> tuple[Webhook, str]:
        """A webhook about a study, all versions of a set or, without `about`, everything of yours;
        and the secret that signs its messages, which is not told again.

        It is not asked again when the answer gets lost: see then whether `webhooks` has it.
        """
        body = {"url": url, "events": list(events), **_target(about)}
        told = self._transport.send("POST", "/webhooks", body).json()
        return Webhook.of(told), str(told["secret"])

    def change_webhook(self, which: AnyWebhook, url: str, events: Sequence[str]) -> Webhook:
        """Another address, or other events."""
        body = {"url": url, "events": list(events)}
        return Webhook.of(self._transport.send("PUT", _at(which), body).json())

    def renew_webhook_secret(self, which: AnyWebhook) -> str:
        """A new secret; the old one signs nothing from now on."""
        return str(self._transport.send("POST", f"{_at(which)}/secret").json()["secret"])

    def turn_webhook_off(self, which: AnyWebhook) -> Webhook:
        """Nothing is sent; what waits is kept, for a month."""
        return Webhook.of(self._transport.send("POST", f"{_at(which)}/turn-off").json())

    def turn_webhook_on(self, which: AnyWebhook) -> Webhook:
        """What has waited is sent first."""
        return Webhook.of(self._transport.send("POST", f"{_at(which)}/turn-on").json())

    def remove_webhook(self, which: AnyWebhook) -> None:
        """With the log of its messages."""
        self._transport.send("DELETE", _at(which))

    def test_webhook(self, which: AnyWebhook) -> WebhookMessage:
        """Send a message that says nothing; ask for it again to see what came of it."""
        sent = self._transport.send("POST", f"{_at(which)}/test", creates=True)
        return WebhookMessage.of(sent.json())

    def webhook_messages(self, which: AnyWebhook) -> Iterator[WebhookMessage]:
        """What it was sent in the last month, latest first."""
        return self._every(WebhookMessage, f"{_at(which)}/deliveries")

    def webhook_message(self, which: AnyWebhook, id: str) -> WebhookMessage:
        """One message; `raw` has its body, and every attempt in its log."""
        return self._one(WebhookMessage, f"{_at(which)}/deliveries/{part(id)}")

    def send_webhook_message_again(self, which: AnyWebhook, id: str) -> WebhookMessage:
        """Under its own id, once it was taken or given up."""
        path = f"{_at(which)}/deliveries/{part(id)}/redeliver"
        return WebhookMessage.of(self._transport.send("POST", path).json())


def _at(which: AnyWebhook) -> str:
    return f"/webhooks/{which.id if isinstance(which, Webhook) else which}"


def _target(about: Study | JudgmentSet | None) -> dict[str, str]:
    if about is None:
        return {}
    if isinstance(about, Study):
        return {"kind": "study", "key": about.slug}
    return {"kind": "set", "key": about.name}
