"""`publish` and `sync_crowd`, and the tasks that keep a publication going."""

from __future__ import annotations

import io
from datetime import timedelta
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.utils.timezone import now

from annotation.crowds import tasks
from annotation.crowds.models import CrowdCall, Publication
from annotation.crowds.services import outbox, scheduling
from mturk_sandbox import Sandbox
from tests.annotation.crowds import scenes
from tests.annotation.crowds.scenes import make_study, requester
from tests.annotation.crowds.workers import Turker

pytestmark = pytest.mark.django_db


def run(*arguments: str) -> str:
    out = StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


def publish(sandbox: Sandbox, *more: str) -> str:
    return run("publish", "bridges", "--place", sandbox.url, "--site", scenes.SITE, *more)


def test_publish_prints_the_cost_and_publishes(sandbox: Sandbox) -> None:
    make_study(3)
    output = publish(sandbox, "--quote")
    assert "6 listings, 30 assignments: $0.90 to workers, $0.30 in fees, $1.20 in total." in output
    assert "nine assignments saves $0.30" in output and not Publication.objects.exists()
    assert "9 calls made; 0 left." in publish(sandbox, "--confirm", "1.20")
    assert len(requester(sandbox.url).list_hits()["HITs"]) == 6
    assert "0 calls made; 0 left." in publish(sandbox)


def test_publish_continues_after_an_interruption(sandbox: Sandbox) -> None:
    scenes.confirmed(scenes.drafted(make_study(3), sandbox.url))
    assert "9 calls made" in run("publish", "bridges")


def test_publish_explains_refusals(sandbox: Sandbox) -> None:
    with pytest.raises(CommandError, match="no study"):
        run("publish", "bridges")
    make_study(1)
    for more, message in (
        ((), "Add --site"),
        (
            ("--site", scenes.SITE, "--place", "production", "--confirm", "0.40"),
            "HTTPS addresses only",
        ),
        (
            ("--site", scenes.SITE, "--place", sandbox.url, "--budget", "0.1", "--confirm", "0.40"),
            "budget",
        ),
        (("--site", scenes.SITE, "--place", sandbox.url, "--budget", "much"), "an amount in dol"),
        (("--site", scenes.SITE, "--place", sandbox.url, "--budget", "-1"), "must not be negative"),
        (("--site", scenes.SITE, "--place", sandbox.url, "--confirm", "9"), "another amount was"),
    ):
        with pytest.raises(CommandError, match=message):
            run("publish", "bridges", *more)
    assert not CrowdCall.objects.exists()


def test_real_money_is_typed_at_the_terminal(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(
        __import__("annotation.crowds.providers.mturk.client", fromlist=["x"]).ENDPOINTS,
        "production",
        sandbox.url,
    )
    make_study(1)
    asked: list[str] = []
    site = ("--site", "https://concord.example", "--place", "production")
    monkeypatch.setattr("builtins.input", lambda text: asked.append(text) or "0.39")
    with pytest.raises(CommandError, match="another amount was confirmed"):
        run("publish", "bridges", *site)
    assert "Type 0.40 to publish" in asked[0]
    monkeypatch.setattr("builtins.input", lambda text: "0.40")
    assert "0 left" in run("publish", "bridges", *site)


def test_the_amount_is_asked_for_at_an_address_of_this_machine_too(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_study(1)
    asked: list[str] = []
    monkeypatch.setattr("builtins.input", lambda text: asked.append(text) or "")
    with pytest.raises(CommandError, match="another amount was confirmed"):
        publish(sandbox)
    assert "Type 0.40 to publish" in asked[0]
    assert not CrowdCall.objects.exists()


def test_real_money_without_a_terminal_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    make_study(1)
    monkeypatch.setattr("sys.stdin", io.StringIO())
    with pytest.raises(CommandError, match="pass it by --confirm"):
        run("publish", "bridges", "--site", "https://concord.example", "--place", "production")
    assert not CrowdCall.objects.exists()


def test_sync_crowd_records_reports_and_compares_payments(sandbox: Sandbox) -> None:
    with pytest.raises(CommandError, match="is published"):
        run("sync_crowd", "bridges")
    publication = scenes.published(make_study(1, scenes.small(ratings=1)), sandbox.url)
    Turker(sandbox, "AONE").qualified(publication).hand_in(publication.listings.get())
    output = run("sync_crowd", "bridges", "--books")
    assert "1 submitted, 0 decided" in output and "The totals are equal." in output


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
