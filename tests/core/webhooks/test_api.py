"""The webhook endpoints, which are for the owner only."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User

from core.audit.models import AuditEvent
from core.rest.models import IdempotencyKey
from core.webhooks import signing
from core.webhooks.models import Delivery, Webhook
from core.webhooks.services import delivering
from tests.core.rest.people import Caller, caller
from tests.core.webhooks.conftest import AT
from tests.endpoints import Endpoint


@pytest.fixture
def asks(ann: User) -> Caller:
    return caller(ann, "webhooks:write")


@pytest.fixture
def made(asks: Caller, receiver: Endpoint) -> dict[str, Any]:
    answer = asks.post("/webhooks", {"url": receiver.url, "events": ["run.done", "run.done"]})
    assert answer.status_code == 201, answer.content
    assert answer["Cache-Control"] == "no-store"
    webhook: dict[str, Any] = answer.json()
    assert answer["Location"] == f"/api/v1/webhooks/{webhook['id']}"
    return webhook


def test_a_new_webhook_shows_its_secret_once(asks: Caller, made: dict[str, Any]) -> None:
    assert made["secret"].startswith("whsec_")
    assert (made["kind"], made["events"], made["has_access"]) == ("account", ["run.done"], True)
    for path in ("/webhooks", f"/webhooks/{made['id']}"):
        assert made["secret"] not in asks.get(path).content.decode()
    assert not IdempotencyKey.objects.filter(body__icontains=made["secret"]).exists()


def test_messages_are_signed_with_the_secret_until_it_is_renewed(
    asks: Caller, made: dict[str, Any], receiver: Endpoint
) -> None:
    path = f"/webhooks/{made['id']}"
    renewed = asks.post(f"{path}/secret").json()["secret"]
    assert renewed != made["secret"]
    sent = asks.post(f"{path}/test").json()
    assert (sent["event"], sent["status"], sent["last"]) == ("ping", "waiting", None)
    delivering.deliver(sent["id"], at=Delivery.objects.get(pk=sent["id"]).created_at)
    read = asks.get(f"{path}/deliveries/{sent['id']}").json()
    assert (read["status"], read["last"]["status"]) == ("done", 204)
    assert json.loads(read["body"])["data"] == {"webhook": made["id"]}
    ((headers, body),) = receiver.requests
    assert body.decode() == read["body"]
    received = {name.lower(): value for name, value in headers.items()}
    assert received["webhook-id"] == sent["id"]
    when = float(received["webhook-timestamp"])
    signing.verify(renewed, received, body, at=when)
    with pytest.raises(signing.SignatureError):
        signing.verify(made["secret"], received, body, at=when)


def test_two_test_requests_with_one_key_send_one_message(
    asks: Caller, made: dict[str, Any]
) -> None:
    path = f"/webhooks/{made['id']}/test"
    first, again = (asks.post(path, Idempotency_Key="one") for _ in range(2))
    assert first.json()["id"] == again.json()["id"]
    assert Delivery.objects.count() == 1


def test_a_webhook_is_changed_disabled_enabled_and_deleted(
    asks: Caller, made: dict[str, Any]
) -> None:
    path = f"/webhooks/{made['id']}"
    changed = asks.put(path, {"url": made["url"], "events": ["run.failed"]})
    assert changed.json()["events"] == ["run.failed"]
    assert asks.post(f"{path}/turn-off").json()["disabled_at"]
    assert asks.get(path).json()["disabled_reason"] == "Turned off by its owner."
    assert asks.post(f"{path}/turn-on").json()["disabled_at"] is None
    assert asks.delete(path).status_code == 204
    assert asks.get(path).status_code == 404
    actions = AuditEvent.objects.filter(action__startswith="webhook.").order_by("pk")
    assert [
        action.removeprefix("webhook.") for action in actions.values_list("action", flat=True)
    ] == [
        "created",
        "changed",
        "turned-off",
        "turned-on",
        "removed",
    ]


def test_messages_are_paged_and_redelivered_after_they_ended(
    asks: Caller, webhook: Webhook, sent: Delivery
) -> None:
    path = f"/webhooks/{webhook.pk}/deliveries"
    refused = asks.post(f"{path}/{sent.pk}/redeliver")
    assert (refused.status_code, refused.json()["title"]) == (
        422,
        "Invalid webhook",
    )
    delivering.deliver(str(sent.pk), at=AT)
    again = asks.post(f"{path}/{sent.pk}/redeliver")
    assert (again.status_code, again.json()["status"], again.json()["tries"]) == (202, "waiting", 0)
    newer = asks.post(f"/webhooks/{webhook.pk}/test").json()["id"]
    first = asks.get(f"{path}?limit=1").json()
    second = asks.get(first["next"].partition("/api/v1")[2]).json()
    assert [one["id"] for page in (first, second) for one in page["results"]] == [
        newer,
        str(sent.pk),
    ]
    assert second["next"] is None


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"url": "https://169.254.169.254/", "events": ["run.done"]}, "url"),
        ({"url": "https://localhost/", "events": ["run.done"]}, "url"),
        ({"url": "https://example.org/", "events": []}, "events"),
        ({"url": "https://example.org/", "events": ["moon.risen"]}, "events"),
        ({"url": "https://example.org/", "events": ["run.done"], "kind": "study"}, "key"),
        ({"url": "https://example.org/", "events": ["run.done"], "owner": 1}, "owner"),
    ],
)
def test_invalid_values_are_refused_by_field(
    asks: Caller, body: dict[str, Any], field: str
) -> None:
    refused = asks.post("/webhooks", body)
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"].split(".")[0] == field
    assert not Webhook.objects.exists()


def test_others_cannot_see_a_webhook(bob: User, webhook: Webhook, sent: Delivery) -> None:
    other = caller(bob)
    assert other.get("/webhooks").json()["results"] == []
    assert other.get(f"/webhooks/{webhook.pk}").status_code == 404
    assert other.get(f"/webhooks/{webhook.pk}/deliveries/{sent.pk}").status_code == 404
    assert other.post(f"/webhooks/{webhook.pk}/secret").status_code == 404


def test_a_token_needs_the_scope(ann: User) -> None:
    refused = caller(ann, "studies:write").get("/webhooks")
    assert (refused.status_code, refused.json()["type"].endswith("scope-needed")) == (403, True)


def test_the_events_are_listed_with_examples(asks: Caller) -> None:
    events = {one["name"]: one for one in asks.get("/webhook-events").json()["results"]}
    assert events["study.frozen"]["of"] == "study"
    assert events["run.failed"]["example"]["reason"]
