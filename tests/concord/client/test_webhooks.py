"""Webhooks by the client: made, tried out, changed, removed."""

from __future__ import annotations

from typing import Any

import pytest

from concord.client import Client, ProblemError
from core.webhooks.services import delivering
from tests.endpoints import Endpoint


@pytest.fixture
def receiver(endpoint: Endpoint, settings: Any) -> Endpoint:
    settings.OUTGOING_ALLOWED_HOSTS = [endpoint.host]
    endpoint.answers = [lambda payload: (204, {}, b"")]
    return endpoint


def test_a_webhook_from_its_making_to_its_end(client: Client, receiver: Endpoint) -> None:
    assert "run.done" in client.webhook_events()
    made, secret = client.create_webhook(receiver.url, ["run.done"])
    assert (made.kind, made.disabled_at) == ("account", None) and secret.startswith("whsec_")
    assert client.rotate_webhook_secret(made) != secret
    sent = client.test_webhook(made)
    assert (sent.event, sent.status) == ("ping", "waiting") and sent.next_at is not None
    delivering.deliver(sent.id, at=sent.created_at)
    (message,) = client.webhook_messages(made)
    assert (message.id, message.status) == (sent.id, "done")
    assert message.last is not None and message.last["status"] == 204
    assert client.redeliver_webhook_message(made, sent.id).status == "waiting"
    assert "ping" in client.webhook_message(made.id, sent.id).raw["body"]
    assert client.update_webhook(made, made.url, ["run.failed"]).events == ["run.failed"]
    assert client.disable_webhook(made).disabled_at is not None
    assert client.enable_webhook(made).disabled_at is None
    assert [one.id for one in client.webhooks()] == [made.id]
    client.delete_webhook(made)
    with pytest.raises(ProblemError, match="no such webhook"):
        client.webhook(made.id)


def test_it_hears_of_a_study_of_yours(client: Client, receiver: Endpoint) -> None:
    study = client.create_study("boats", "Boats", preset="kpqa-2021")
    made, _ = client.create_webhook(receiver.url, ["stage.opened"], about=study)
    assert (made.kind, made.key, made.has_access) == ("study", "boats", True)
