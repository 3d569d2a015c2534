"""The pages of webhooks, which are for the owner only."""

from __future__ import annotations

import html

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from core.audit.models import AuditEvent
from core.webhooks.models import Delivery, Webhook
from core.webhooks.services import delivering, subscribing
from tests.benchmarks.factories import make_set
from tests.core.webhooks.conftest import AT

NEW = "/webhooks/new/"


@pytest.fixture
def client(ann) -> Client:
    browser = Client()
    browser.force_login(ann)
    return browser


def make(client: Client, url: str, about: str = "", **more):
    query = f"?about={about}" if about else ""
    return client.post(NEW + query, {"url": url, "events": ["run.done"]} | more)


def test_the_secret_is_shown_once_and_stored_encrypted(client, receiver):
    page = make(client, receiver.url)
    (webhook,) = Webhook.objects.all()
    secret = page.content.decode().split("<pre")[1].split("<code>")[1].split("</code>")[0]
    secret = html.unescape(secret)
    assert secret.startswith("whsec_") and page["Cache-Control"].startswith("max-age=0")
    with connection.cursor() as cursor:
        cursor.execute("SELECT w::text FROM webhooks_webhook w")
        assert secret.removeprefix("whsec_") not in cursor.fetchone()[0]
    for path in (reverse("webhooks"), webhook.get_absolute_url()):
        assert secret not in html.unescape(client.get(path).content.decode())
    assert not AuditEvent.objects.filter(after__icontains="secret").exists()


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org/",
        "https://169.254.169.254/latest/meta-data/",
        "https://localhost/",
        "https://127.0.0.1:8000/admin/",
        "https://[::ffff:127.0.0.1]/",
        "https://2130706433/",
        "https://metadata.google.internal/",
        "javascript:alert(1)",
        "https://ann:word@example.org/",
    ],
)
def test_an_address_that_is_not_called_is_refused_with_the_reason(client, url):
    page = make(client, url)
    assert page.status_code == 422 and b'role="alert"' in page.content
    assert not Webhook.objects.exists()


def test_unknown_events_are_refused(client, receiver):
    assert make(client, receiver.url, events=["run.everything"]).status_code == 422
    assert make(client, receiver.url, events=[]).status_code == 422


def test_an_inaccessible_target_cannot_be_chosen(client, receiver, tmp_path):
    make_set(tmp_path, "private", public=False)
    for about in ("set:private", "set:none", "study:none", "user:1", "account:1"):
        answer = make(client, receiver.url, about)
        webhook = Webhook.objects.first()
        assert answer.status_code == 404 or webhook.key == str(webhook.owner_id)
        Webhook.objects.all().delete()


def test_others_cannot_open_a_webhook(webhook, sent, bob):
    other = Client()
    other.force_login(bob)
    paths = [
        webhook.get_absolute_url(),
        reverse("webhook-change", args=[webhook.pk]),
        reverse("webhook-delivery", args=[webhook.pk, sent.pk]),
    ]
    assert {other.get(path).status_code for path in paths} == {404}
    posts = [
        reverse("webhook-change", args=[webhook.pk]),
        reverse("webhook-do", args=[webhook.pk]),
        reverse("webhook-redeliver", args=[webhook.pk, sent.pk]),
    ]
    assert {other.post(path, {"do": "remove"}).status_code for path in posts} == {404}
    for path in [*paths, *posts, reverse("webhooks"), NEW]:
        assert Client().get(path).status_code in (302, 405)
    assert Webhook.objects.filter(pk=webhook.pk).exists()


def test_a_message_of_another_webhook_is_not_shown_through_ones_own(client, webhook, receiver, bob):
    others, _ = subscribing.subscribe(bob, "account", "", receiver.url, ["run.done"], at=AT)
    hidden = subscribing.ping(others, at=AT)
    path = reverse("webhook-delivery", args=[webhook.pk, hidden.pk])
    assert client.get(path).status_code == 404


def test_the_log_shows_each_attempt_and_a_message_can_be_sent_again(
    client, webhook, receiver, sent
):
    receiver.answers = [lambda payload: (500, {}, b"")]
    delivering.deliver(str(sent.pk), at=AT)
    page = client.get(webhook.get_absolute_url()).content.decode()
    assert "answered with status 500" in page and "waiting" in page
    again = reverse("webhook-redeliver", args=[webhook.pk, sent.pk])
    assert "still being delivered" in client.post(again, follow=True).content.decode()
    Delivery.objects.update(status="failed")
    client.post(again)
    sent.refresh_from_db()
    assert sent.status == "waiting" and sent.tries == 0


def test_a_webhook_is_tested_disabled_enabled_renewed_changed_and_deleted(
    client, webhook, receiver
):
    path = reverse("webhook-do", args=[webhook.pk])
    assert b"Attempts" in client.post(path, {"do": "ping"}, follow=True).content
    assert b"was turned off" in client.post(path, {"do": "off"}, follow=True).content
    assert b"was turned on" in client.post(path, {"do": "on"}, follow=True).content
    before = webhook.sealed_secret
    assert b"whsec_" in client.post(path, {"do": "renew"}).content
    webhook.refresh_from_db()
    assert webhook.sealed_secret != before
    change = reverse("webhook-change", args=[webhook.pk])
    assert client.get(change).status_code == 200
    client.post(change, {"url": receiver.url + "&more=1", "events": ["run.failed"]})
    webhook.refresh_from_db()
    assert webhook.events == ["run.failed"] and webhook.url.endswith("more=1")
    assert b"Unknown action" in client.post(path, {"do": "x"}, follow=True).content
    client.post(path, {"do": "remove"})
    assert not Webhook.objects.exists()
    actions = set(AuditEvent.objects.values_list("action", flat=True))
    assert {"webhook.created", "webhook.changed", "webhook.removed"} <= actions
    assert not AuditEvent.objects.filter(target_name__contains="key=secret").exists()


def test_the_number_of_webhooks_is_limited(client, receiver, monkeypatch):
    monkeypatch.setattr(subscribing, "MAX_PER_ACCOUNT", 1)
    make(client, receiver.url)
    assert b"which is the maximum" in make(client, receiver.url).content
