"""Which webhooks receive which events."""

from __future__ import annotations

import json

import pytest
from django.contrib.auth.models import User
from django.db import transaction
from django.utils.timezone import now

from annotation.stages.services import completing, opening
from benchmarks.freezing import services as freezing
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import runs
from benchmarks.sets.services import publishing
from concord.protocols import RatingRule
from core.accounts.roles import Role
from core.refusals import RefusedError
from core.webhooks.events import EVENTS, of_kind
from core.webhooks.models import Delivery
from core.webhooks.services import subscribing
from core.webhooks.services.emitting import emit
from tests.annotation import people
from tests.benchmarks.factories import add_member, make_set, request, score_here
from tests.core.webhooks.conftest import AT


def sent_events(user: User) -> list[dict]:
    """The events sent to a person's webhooks, in order."""
    rows = Delivery.objects.filter(webhook__owner=user).order_by("created_at", "pk")
    return [json.loads(row.body) for row in rows]


def subscribe(user: User, kind: str, key: str, url: str):
    heard = [event.name for event in of_kind(kind)]
    return subscribing.subscribe(user, kind, key, url, heard, at=AT)[0]


def test_a_complete_run_stores_its_message_in_the_same_transaction(receiver, ann, tmp_path):
    judgment_set = make_set(tmp_path, "small")
    subscribe(ann, "set", "small", receiver.url)
    (run,) = score_here(judgment_set, "bleu-1")
    (message,) = sent_events(ann)
    assert message["type"] == "run.done"
    assert message["data"]["metric"] == "bleu-1" and message["data"]["status"] == "complete"
    assert message["data"]["path"] == run.get_absolute_url()


def test_a_failed_run_sends_one_message_with_its_reason(receiver, ann, tmp_path):
    judgment_set = make_set(tmp_path, "small")
    subscribe(ann, "set", "small", receiver.url)
    (run,) = request(judgment_set, "bleu-1")
    for _ in range(2):
        runs.fail_run(run, "It broke.", at=AT)
    (message,) = sent_events(ann)
    assert message["type"] == "run.failed" and message["data"]["reason"] == "It broke."


@pytest.mark.django_db(transaction=True)
def test_a_rollback_sends_no_message(receiver, ann, tmp_path):
    judgment_set = make_set(tmp_path, "small")
    subscribe(ann, "set", "small", receiver.url)
    (run,) = request(judgment_set, "bleu-1")
    with pytest.raises(RuntimeError), transaction.atomic():
        runs.fail_run(run, "It broke.", at=AT)
        raise RuntimeError
    assert sent_events(ann) == [] and MetricRun.objects.get(pk=run.pk).is_active


def test_only_members_receive_events_of_private_objects(receiver, ann, bob, tmp_path):
    make_set(tmp_path, "small")
    add_member("small", ann, Role.VIEWER)
    subscribe(ann, "set", "small", receiver.url)
    subscribe(bob, "set", "small", receiver.url)  # there is a public version
    private = make_set(tmp_path, "small", public=False)
    score_here(private, "bleu-1")
    assert [one["type"] for one in sent_events(ann)] == ["set.imported", "run.done"]
    assert sent_events(bob) == []
    publishing.publish(private, at=AT)
    assert [one["type"] for one in sent_events(bob)] == ["set.published"]


def test_former_members_get_no_messages(receiver, ann, tmp_path):
    private = make_set(tmp_path, "small", public=False)
    member = add_member("small", ann)
    subscribe(ann, "set", "small", receiver.url)
    member.delete()
    score_here(private, "bleu-1")
    assert sent_events(ann) == []


def test_a_webhook_needs_access_to_its_target(receiver, bob, tmp_path):
    make_set(tmp_path, "small", public=False)
    for kind, key in (("set", "small"), ("set", "none"), ("study", "none"), ("nothing", "x")):
        with pytest.raises(RefusedError, match="you are not a member of it"):
            subscribing.subscribe(bob, kind, key, receiver.url, ["run.done"], at=AT)


def test_an_accounts_webhook_receives_events_of_its_own_objects_only(receiver, ann, bob, tmp_path):
    judgment_set = make_set(tmp_path, "small")
    add_member("small", ann)
    for user in (ann, bob):
        subscribe(user, "account", "", receiver.url)
    score_here(judgment_set, "bleu-1")
    assert [one["type"] for one in sent_events(ann)] == ["run.done"] and sent_events(bob) == []


def test_a_deactivated_account_gets_no_messages(receiver, ann, tmp_path):
    judgment_set = make_set(tmp_path, "small")
    subscribe(ann, "set", "small", receiver.url)
    User.objects.update(is_active=False)
    score_here(judgment_set, "bleu-1")
    assert sent_events(ann) == []


def test_an_unknown_event_raises_key_error(db):
    with pytest.raises(KeyError, match=r"run\.finished"):
        emit("run.finished", "small", {}, at=AT)


def test_every_event_has_an_example_that_is_json():
    for event in EVENTS:
        assert json.loads(json.dumps(event.example)) == event.example and event.example["path"]


def test_members_of_a_study_receive_its_events(receiver, db):
    protocol = people.protocol(rating_rules=(RatingRule(1),))
    study = people.new_study(people.researcher(), protocol, people.candidates())
    subscribe(study.owner, "study", study.slug, receiver.url)
    stage = people.open_stage(study)
    assert completing.announce_complete(at=AT) == 0
    people.rate(stage, people.join(study, "w1"))
    for _ in range(2):
        assert completing.announce_complete(at=AT) == 1
    freezing.freeze(study, "mean", by=study.owner, at=now())
    opening.close_stage(stage, at=now())
    received = [(one["type"], one["data"]["study"]) for one in sent_events(study.owner)]
    expected = ["stage.opened", "stage.complete", "study.frozen", "stage.closed"]
    assert sorted(received) == sorted((event, study.slug) for event in expected)
