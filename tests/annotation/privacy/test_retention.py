"""Ids go when their term is over, and no sooner."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client
from django.utils.timezone import now

from annotation.privacy.services import retention
from annotation.privacy.tasks import drop_old_identities
from annotation.rating.models import Assignment, Participation, Rating, Worker
from core.audit.models import AuditEvent
from tests.annotation import people
from tests.annotation.people import Scene
from tests.html import readable

pytestmark = pytest.mark.django_db


def known() -> int:
    return Worker.objects.filter(identity__isnull=False).count()


def later(days: float):
    return now() + timedelta(days=days)


def test_ids_are_deleted_after_the_retention_period_and_ratings_stay(
    scene: Scene, settings
) -> None:
    settings.IDENTITY_RETENTION_DAYS = 30
    ratings = Rating.objects.count()
    assert (retention.release_due(at=later(29)), known()) == (0, 4)
    assert (retention.release_due(at=later(31)), known()) == (4, 0)
    assert (retention.release_due(at=later(31)), known()) == (0, 0)
    assert Rating.objects.count() == ratings
    worker = scene.workers[0].worker
    worker.refresh_from_db()
    assert worker.released_at and worker.identity_key is None and not worker.erased_at
    assert AuditEvent.objects.filter(action="worker.id dropped").count() == 4


def test_a_studys_own_retention_period_overrides_the_installations(
    scene: Scene, rosa: User
) -> None:
    retention.set_days(scene.study, 7, by=rosa)
    assert retention.release_due(at=later(8)) == 4
    event = AuditEvent.objects.get(action="study.retention changed")
    assert event.details == [("identity_days", None, 7)] and event.actor == "rosa"


def test_each_study_has_its_own_term(scene: Scene, rosa: User) -> None:
    other = people.new_study(rosa, people.PROTOCOL, people.candidates(), slug="ships")
    people.join(other, "worker 0")
    retention.set_days(scene.study, 7, by=rosa)
    assert retention.release_due(at=later(8)) == 4
    assert Worker.objects.known_as("link", "worker 0").get().study == other


def test_an_id_stays_while_the_worker_holds_a_task(scene: Scene, settings) -> None:
    settings.IDENTITY_RETENTION_DAYS = 30
    Assignment.objects.filter(worker=scene.workers[0].worker).update(status="held")
    assert retention.release_due(at=later(31)) == 3


def test_the_retention_period_begins_with_the_last_work(scene: Scene, settings) -> None:
    settings.IDENTITY_RETENTION_DAYS = 30
    assignments = Assignment.objects.filter(worker=scene.workers[0].worker)
    assignments.update(submitted_at=later(20))
    assert retention.release_due(at=later(31)) == 3
    assert retention.release_due(at=later(51)) == 1


def test_a_returning_worker_gets_a_new_row(scene: Scene) -> None:
    retention.release_due(at=later(4000))
    again = people.join(scene.study, "worker 0")
    assert again.pk not in [one.pk for one in scene.workers]


def test_the_task_and_the_command_delete_ids(scene: Scene, settings, capsys) -> None:
    settings.IDENTITY_RETENTION_DAYS = 0
    drop_old_identities()
    assert known() == 0
    call_command("drop_identities")
    assert "0 workers" in capsys.readouterr().out


def test_an_owner_sets_the_term_and_others_do_not(
    scene: Scene, owner: Client, everybody: dict[str, Client]
) -> None:
    address = "/studies/boats/privacy/"
    page = readable(owner.get(address))
    assert "365 days" in page and "With platform id" in page
    assert owner.post(address, {"days": "90"}).status_code == 302
    assert "90 days after" in readable(owner.get(address))
    assert owner.post(address, {"days": "99999"}).status_code == 422
    assert owner.post(address, {"days": ""}).status_code == 302
    scene.study.refresh_from_db()
    assert scene.study.identity_days is None
    assert everybody["outsider"].post(address, {"days": "1"}).status_code == 404


def test_the_page_says_how_many_agreed_to_which_text(scene: Scene, owner: Client) -> None:
    from annotation.rating.services import participation

    for worker in Participation.objects.all()[:3]:
        participation.consent(worker, at=now())
    assert "Version 1</a>: 3 agreed" in readable(owner.get("/studies/boats/privacy/"))
