"""Messages are retried until they are delivered, and a killed worker loses none."""

from __future__ import annotations

import json
import threading
from datetime import timedelta

import pytest
from django.core import mail
from django.utils.timezone import now

from core.webhooks import signing
from core.webhooks.models import Delivery, Webhook
from core.webhooks.services import delivering, subscribing
from tests.core.webhooks.conftest import AT
from tests.waiting import TIMEOUT_SECONDS, wait_for

Status = Delivery.Status


def answering(status: int, headers: dict[str, str] | None = None, body: bytes = b""):
    return lambda payload: (status, headers or {}, body)


def deliver(delivery: Delivery, after: timedelta = timedelta(0)) -> Delivery:
    delivering.deliver(str(delivery.pk), at=AT + after)
    delivery.refresh_from_db()
    return delivery


def test_a_message_is_signed_and_delivered_once(subscribed, receiver, sent):
    deliver(sent)
    deliver(sent)
    ((headers, body),) = receiver.requests
    signing.verify(subscribed[1], headers, body, at=AT.timestamp())
    assert headers["webhook-id"] == str(sent.pk)
    assert json.loads(body) == {
        "type": "ping",
        "timestamp": "2026-11-21T09:00:00+00:00",
        "data": {"webhook": subscribed[0].pk},
    }
    assert sent.status == Status.DONE and sent.last["status"] == 204 and sent.finished_at


def test_failed_messages_are_retried_with_the_same_id_and_growing_pauses(receiver, sent):
    receiver.answers = [answering(503), answering(404), answering(200)]
    assert deliver(sent).status == Status.WAITING
    first = sent.not_before - now()
    assert timedelta(seconds=8) < first < timedelta(seconds=12)
    assert delivering.due(at=AT) == []
    Delivery.objects.update(not_before=AT)
    assert deliver(sent).status == Status.WAITING
    assert sent.not_before - now() > 4 * first
    Delivery.objects.update(not_before=AT)
    assert deliver(sent).status == Status.DONE
    assert {headers["webhook-id"] for headers, _ in receiver.requests} == {str(sent.pk)}
    assert [line["status"] for line in sent.log] == [503, 404, 200]


def test_a_receiver_may_ask_for_a_longer_pause(receiver, sent):
    receiver.answers = [answering(429, {"Retry-After": "3600"})]
    assert deliver(sent).not_before - now() > timedelta(minutes=59)


@pytest.mark.parametrize(
    ("status", "headers"), [(302, {"Location": "http://169.254.169.254/"}), (400, {}), (500, {})]
)
def test_only_200_to_299_is_an_answer_and_redirects_are_not_followed(
    receiver, sent, status, headers
):
    receiver.answers = [answering(status, headers)]
    assert deliver(sent).status == Status.WAITING
    assert len(receiver.requests) == 1 and sent.last["status"] == status


def test_the_text_of_a_receiver_is_neither_stored_nor_shown(receiver, sent):
    receiver.answers = [answering(500, {}, b"a secret trace")]
    assert "secret" not in json.dumps(deliver(sent).log)


def test_a_delivery_fails_after_the_last_attempt_and_repeated_failures_turn_the_webhook_off(
    receiver, webhook, ann, django_capture_on_commit_callbacks
):
    receiver.answers = [answering(500)]
    with django_capture_on_commit_callbacks(execute=True):
        for _ in range(delivering.MAX_CONSECUTIVE_FAILURES):
            one = subscribing.ping(webhook, at=AT)
            for _ in range(delivering.MAX_ATTEMPTS):
                Delivery.objects.filter(pk=one.pk).update(not_before=AT)
                deliver(one)
            assert one.status == Status.FAILED
    assert len(receiver.requests) == delivering.MAX_CONSECUTIVE_FAILURES * delivering.MAX_ATTEMPTS
    webhook.refresh_from_db()
    assert webhook.disabled_at and "3 messages in a row" in webhook.disabled_reason
    (notice,) = mail.outbox
    assert notice.to == ["ann@example.org"] and "turned off" in notice.subject
    assert "key=secret" not in notice.body


def test_a_row_deleted_in_between_counts_from_the_start(receiver, webhook, sent):
    Webhook.objects.update(consecutive_failures=delivering.MAX_CONSECUTIVE_FAILURES - 1)
    deliver(sent)
    webhook.refresh_from_db()
    assert webhook.consecutive_failures == 0 and webhook.disabled_at is None


def test_a_receiver_that_answers_410_is_turned_off_at_once(receiver, webhook, sent):
    receiver.answers = [answering(410)]
    assert deliver(sent).status == Status.FAILED
    webhook.refresh_from_db()
    assert "410" in webhook.disabled_reason


def test_waiting_messages_are_sent_when_the_webhook_is_turned_on_again(receiver, webhook, sent):
    subscribing.turn_off(webhook, by=webhook.owner, at=AT)
    assert delivering.due(at=AT) == [] and deliver(sent).status == Status.WAITING
    subscribing.turn_on(webhook, by=webhook.owner)
    assert delivering.due(at=AT) == [str(sent.pk)] and deliver(sent).status == Status.DONE


def test_an_address_that_turned_private_is_not_called(receiver, webhook, sent, settings):
    settings.OUTGOING_ALLOWED_HOSTS = []
    for url in ("https://169.254.169.254/latest/", "https://localhost/", "https://[::1]/"):
        Webhook.objects.update(url=url)
        Delivery.objects.update(status=Status.WAITING, not_before=AT)
        assert deliver(sent).status == Status.FAILED
        assert "public internet" in sent.last["error"]
    assert receiver.requests == []


def test_an_expired_lease_is_taken_over_and_the_late_worker_writes_nothing(receiver, sent):
    late = delivering.claim(str(sent.pk), at=AT)
    assert late is not None and delivering.claim(str(sent.pk), at=AT) is None
    after = timedelta(minutes=5)
    assert delivering.due(at=AT + after) == [str(sent.pk)]
    assert deliver(sent, after).status == Status.DONE
    delivering.settle(late, delivering.DeliveryOutcome(500, "late", 1, final=True), at=AT)
    sent.refresh_from_db()
    assert sent.status == Status.DONE and len(sent.log) == 1


def test_a_secret_under_a_lost_key_is_reported(receiver, webhook, sent, settings):
    settings.SECRET_KEY = "another key altogether"
    assert deliver(sent).status == Status.FAILED
    assert "SECRET_KEY was changed" in sent.last["error"] and receiver.requests == []


def test_a_secret_under_an_older_key_that_is_kept_still_signs(receiver, sent, settings):
    settings.SECRET_KEY_FALLBACKS, settings.SECRET_KEY = [settings.SECRET_KEY], "a newer key"
    assert deliver(sent).status == Status.DONE


def test_messages_are_deleted_after_a_month(sent):
    assert delivering.sweep(at=AT + timedelta(days=29)) == 0
    assert delivering.sweep(at=AT + timedelta(days=31)) == 1


@pytest.mark.django_db(transaction=True)
def test_a_worker_killed_while_it_sends_loses_no_message(worker, receiver, ann):
    ended = threading.Event()

    def hang(payload):
        ended.wait(TIMEOUT_SECONDS)
        return (200, {}, b"")

    receiver.answers = [hang, answering(200)]
    webhook, _ = subscribing.subscribe(ann, "account", "", receiver.url, ["run.done"], at=now())
    sent = subscribing.ping(webhook, at=now())
    worker.environment["OUTGOING_ALLOWED_HOSTS"] = receiver.host
    worker.start("--queues", "light")
    wait_for(lambda: Delivery.objects.get(pk=sent.pk).status == Status.STARTED)
    wait_for(lambda: len(receiver.requests) == 1)
    worker.kill()
    ended.set()
    Delivery.objects.update(lease_until=now())  # it would lapse by itself, half a minute later
    worker.start("--queues", "light")
    wait_for(lambda: Delivery.objects.get(pk=sent.pk).status == Status.DONE)
    assert [headers["webhook-id"] for headers, _ in receiver.requests] == [str(sent.pk)] * 2
