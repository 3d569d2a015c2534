"""The tasks that keep a publication going."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils.timezone import now

from annotation.crowds import tasks
from annotation.crowds.models import CrowdCall
from annotation.crowds.services import outbox, scheduling
from mturk_sandbox import Sandbox
from tests.annotation.crowds import scenes
from tests.annotation.crowds.scenes import make_study, requester

pytestmark = pytest.mark.django_db


def test_due_calls_and_syncs_are_claimed_once(sandbox: Sandbox) -> None:
    publication = scenes.confirmed(scenes.drafted(make_study(1), sandbox.url))
    assert scheduling.publications_with_due_calls(at=now()) == [publication.pk]
    call = outbox.claim(publication, at=now())
    assert call is not None
    CrowdCall.objects.exclude(pk=call.pk).update(status="done")
    assert scheduling.publications_with_due_calls(at=now()) == []
    assert scheduling.publications_with_due_calls(at=now() + 2 * outbox.LEASE) == [publication.pk]
    assert scheduling.claim_due_syncs(at=now()) == [publication.pk]
    assert scheduling.claim_due_syncs(at=now()) == []
    assert scheduling.claim_due_syncs(at=now() + timedelta(minutes=6)) == [publication.pk]


def test_the_tasks_call_the_services(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    publication = scenes.confirmed(scenes.drafted(make_study(1), sandbox.url))
    sent: list[Any] = []
    for task in (tasks.make_crowd_calls, tasks.sync_crowd):
        monkeypatch.setattr(task, "delay", lambda pk, task=task: sent.append((task.name, pk)))
    tasks.sweep()
    assert [name.rpartition(".")[2] for name, _ in sent] == ["make_crowd_calls", "sync_crowd"]
    for _ in range(2):
        tasks.make_crowd_calls(publication.pk)
        tasks.sync_crowd(publication.pk)
    assert len(requester(sandbox.url).list_hits()["HITs"]) == 2
    publication.refresh_from_db()
    assert publication.synced_at is not None


def test_a_late_result_of_an_earlier_attempt_changes_nothing(sandbox: Sandbox) -> None:
    publication = scenes.confirmed(scenes.drafted(make_study(1), sandbox.url))
    slow = outbox.claim(publication, at=now())
    assert slow is not None
    quick = outbox.claim(publication, at=now() + 2 * outbox.LEASE)
    assert quick is not None and (quick.pk, quick.attempt) == (slow.pk, 2)
    assert outbox.finish(slow, {"provider_ids": {"test": "LATE"}}, at=now()) is False
    assert outbox.finish(quick, {"provider_ids": {"test": "TIMELY"}}, at=now()) is True
    publication.refresh_from_db()
    assert publication.provider_ids == {"test": "TIMELY"}
