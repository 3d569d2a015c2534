"""Webhooks and the messages sent to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from concord.client.base import ApiMethods, path_part
from concord.client.documents import (
    Document,
    JudgmentSet,
    Study,
    Webhook,
    WebhookMessage,
    WholeWebhookMessage,
)

AnyWebhook = Webhook | int


class Webhooks(ApiMethods):
    """Methods take a webhook as its document, or as its id."""

    def webhook_events(self) -> dict[str, str]:
        """The events of webhooks: names and titles."""
        events = self._list(Document, "/webhook-events")
        return {event.raw["name"]: event.raw["title"] for event in events}

    def webhooks(self) -> Iterator[Webhook]:
        """Your webhooks, latest first."""
        return self._list(Webhook, "/webhooks")

    def webhook(self, which: AnyWebhook) -> Webhook:
        """The webhook with this id."""
        return self._get(Webhook, _at(which))

    def create_webhook(
        self, url: str, events: Sequence[str], *, about: Study | JudgmentSet | None = None
    ) -> tuple[Webhook, str]:
        """Create a webhook about a study, all versions of a set or, without `about`, all your data.

        Also returns the secret that signs its messages; it is not shown again. The request is not
        retried: if the response is lost, check `webhooks`.
        """
        body = {"url": url, "events": list(events), **_target(about)}
        answer = self._transport.send("POST", "/webhooks", body).json()
        return Webhook.of(answer), str(answer["secret"])

    def update_webhook(self, which: AnyWebhook, url: str, events: Sequence[str]) -> Webhook:
        """Change the URL or the events of a webhook."""
        body = {"url": url, "events": list(events)}
        return Webhook.of(self._transport.send("PUT", _at(which), body).json())

    def rotate_webhook_secret(self, which: AnyWebhook) -> str:
        """Replace the secret; the old one is no longer used."""
        return str(self._transport.send("POST", f"{_at(which)}/secret").json()["secret"])

    def disable_webhook(self, which: AnyWebhook) -> Webhook:
        """Stop sending; waiting messages are stored for a month."""
        return Webhook.of(self._transport.send("POST", f"{_at(which)}/turn-off").json())

    def enable_webhook(self, which: AnyWebhook) -> Webhook:
        """Resume sending, with the waiting messages first."""
        return Webhook.of(self._transport.send("POST", f"{_at(which)}/turn-on").json())

    def delete_webhook(self, which: AnyWebhook) -> None:
        """Delete a webhook and the log of its messages."""
        self._transport.send("DELETE", _at(which))

    def test_webhook(self, which: AnyWebhook) -> WebhookMessage:
        """Send a test message; read it again (`webhook_message`) to see the result."""
        sent = self._transport.send("POST", f"{_at(which)}/test", creates=True)
        return WebhookMessage.of(sent.json())

    def webhook_messages(self, which: AnyWebhook) -> Iterator[WebhookMessage]:
        """Messages of the last month, latest first."""
        return self._list(WebhookMessage, f"{_at(which)}/deliveries")

    def webhook_message(self, which: AnyWebhook, id: str) -> WholeWebhookMessage:
        """One message, with its body and latest attempts."""
        return self._get(WholeWebhookMessage, f"{_at(which)}/deliveries/{path_part(id)}")

    def redeliver_webhook_message(self, which: AnyWebhook, id: str) -> WebhookMessage:
        """Send a finished message again, with the same id."""
        path = f"{_at(which)}/deliveries/{path_part(id)}/redeliver"
        return WebhookMessage.of(self._transport.send("POST", path).json())


def _at(which: AnyWebhook) -> str:
    return f"/webhooks/{which.id if isinstance(which, Webhook) else which}"


def _target(about: Study | JudgmentSet | None) -> dict[str, str]:
    if about is None:
        return {}
    if isinstance(about, Study):
        return {"kind": "study", "key": about.slug}
    return {"kind": "set", "key": about.name}
