"""Archiving and deleting studies: what is refused, what goes and what stays."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.crowds.models import CrowdAssignment, Listing, Payment, Publication
from annotation.crowds.services import pages
from annotation.lifecycle.services import archiving, deletion, unfinished
from annotation.rating.models import Assignment, Message, Rating, Worker
from annotation.rating.services import handing_out
from annotation.rating.services.tokens import DELETED, token_for
from annotation.setup.services import publishing
from annotation.stages.services import opening
from annotation.studies.models import Study
from benchmarks.freezing import services as freezing
from benchmarks.sets.services import publishing as set_publishing
from core.audit.models import AuditEvent
from core.refusals import RefusedError
from tests.annotation import people
from tests.annotation.people import Scene
from tests.html import readable


@pytest.fixture
def closed(scene: Scene) -> Scene:
    """The study's stage is closed; its raters came by links."""
    opening.close_stage(scene.stage, at=now())
    return scene


def submission(scene: Scene, status: str) -> CrowdAssignment:
    """A worker's submission at a crowd that has ended."""
    publication = Publication.objects.create(
        stage=scene.stage,
        provider="mturk",
        site="https://rate.example.org",
        offer={},
        uid="u1",
        status=Publication.Status.ENDED,
        created_at=now(),
    )
    listing = Listing.objects.create(publication=publication, places=1, pay_cents=40, key="k1")
    return CrowdAssignment.objects.create(
        publication=publication,
        listing=listing,
        participation=scene.workers[0],
        provider_id="A1",
        status=status,
    )


def test_an_archived_study_collects_nothing_and_stays_readable(
    closed: Scene, owner: Client
) -> None:
    url = reverse("study-archive", args=[closed.slug])
    assert "was archived" in readable(owner.post(url, follow=True))
    with pytest.raises(RefusedError, match="archived"):
        opening.open_stage(closed.stage, by=closed.study.owner, at=now())
    assert Client().get(reverse("rating-join", args=[closed.slug])).status_code == 410
    assert ">Archived<" in readable(owner.get(reverse("studies")))
    assert owner.get(reverse("study-quality", args=[closed.slug])).status_code == 200
    assert "was restored" in readable(owner.post(url, {"do": "restore"}, follow=True))
    opening.open_stage(closed.stage, by=closed.study.owner, at=now())


def test_a_study_with_open_work_is_neither_archived_nor_deleted(
    scene: Scene, rosa: User, owner: Client
) -> None:
    handing_out.hand_out(people.join(scene.study, "late").worker, scene.stage, at=now())
    for refused in (
        lambda: archiving.archive(scene.study, at=now()),
        lambda: deletion.delete_study(scene.study, paid=True, by=rosa, at=now()),
    ):
        with pytest.raises(RefusedError, match="The full stage is open"):
            refused()
    page = readable(owner.get(reverse("study-settings", args=[scene.slug])))
    assert "The full stage is open. Close it on the Stages page." in page
    assert "Delete the study" not in page


def test_a_task_in_progress_keeps_a_study(closed: Scene, rosa: User) -> None:
    opening.open_stage(closed.stage, by=rosa, at=now())
    people.join(closed.study, "late")
    Assignment.objects.filter(pk=Assignment.objects.first().pk).update(  # type: ignore[union-attr]
        status=Assignment.Status.HELD, lease_until=now().replace(year=2100)
    )
    opening.close_stage(closed.stage, at=now())
    with pytest.raises(RefusedError, match="1 task is in progress"):
        archiving.archive(closed.study, at=now())


@pytest.mark.parametrize("status", ["rated", "submitted"])
def test_unpaid_work_at_a_crowd_keeps_a_study(status: str, closed: Scene, rosa: User) -> None:
    submission(closed, status)
    with pytest.raises(RefusedError, match="1 submission is not reviewed"):
        deletion.delete_study(closed.study, paid=True, by=rosa, at=now())


def test_pay_of_raters_who_came_by_links_is_confirmed(closed: Scene, rosa: User) -> None:
    earned = unfinished.earned_by_links(closed.study)
    assert earned == sum(Assignment.objects.values_list("pay_cents", flat=True)) > 0
    with pytest.raises(RefusedError, match="came by links earned"):
        deletion.delete_study(closed.study, by=rosa, at=now())


def test_simulated_raters_are_owed_nothing(rosa: User) -> None:
    scene = people.full_scene(rosa, simulated=True)
    opening.close_stage(scene.stage, at=now())
    deletion.delete_study(scene.study, by=rosa, at=now())
    assert not Study.objects.exists()


def test_published_studies_and_sets_keep_a_study(closed: Scene, rosa: User) -> None:
    publishing.publish(closed.study, at=now())
    frozen = freezing.freeze(closed.study, "mean", by=rosa, at=now())
    set_publishing.publish(frozen, at=now())
    with pytest.raises(RefusedError) as refused:
        deletion.delete_study(closed.study, paid=True, by=rosa, at=now())
    assert "The study is public." in str(refused.value)
    assert "The judgment set boats@1, frozen from it, is public." in str(refused.value)
    assert Rating.objects.exists()


def test_content_goes_and_the_audit_log_and_payments_stay(closed: Scene, rosa: User) -> None:
    crowd = submission(closed, "approved")
    Payment.objects.create(crowd_assignment=crowd, kind="reward", cents=40, fee_cents=8, at=now())
    frozen = freezing.freeze(closed.study, "mean", by=rosa, at=now())
    events, work = AuditEvent.objects.count(), Assignment.objects.count()
    ratings = Rating.objects.count()
    token = token_for(closed.workers[0])
    deletion.delete_study(closed.study, paid=True, by=rosa, at=now())

    assert not Study.objects.exists()
    study = Study.all_rows.get()
    for rows in (study.candidates, study.instances, study.members, study.ledger_steps):
        assert not rows.exists()
    assert not Rating.objects.exists() and not Message.objects.exists()
    assert not Worker.objects.filter(identity__isnull=False).exists()
    assert Assignment.objects.count() == work and Payment.objects.get().cents == 40
    assert AuditEvent.objects.count() > events
    event = AuditEvent.objects.get(action="study.deleted")
    assert event.before["ratings"] == ratings and event.before["paid by crowds, cents"] == 40
    frozen.refresh_from_db()
    assert frozen.candidates.exists(), "a private set stays"
    answer = Client().get(reverse("rating-home", args=[token]))
    assert answer.status_code == 403 and "This study was deleted" in readable(answer)
    with pytest.raises(RefusedError, match=str(DELETED)):
        pages.crowd_assignment_of(pages.token_for(crowd, ""))


def test_a_deleted_study_is_on_no_page_and_its_name_stays_taken(
    closed: Scene, owner: Client
) -> None:
    url = reverse("study-delete", args=[closed.slug])
    wrong = owner.post(url, {"name": "boat", "paid": "on"})
    assert wrong.status_code == 422 and "Type boats to confirm" in readable(wrong)
    unpaid = owner.post(url, {"name": "boats"})
    assert unpaid.status_code == 422 and "Pay them, and confirm it" in readable(unpaid)
    done = owner.post(url, {"name": "boats", "paid": "on"}, follow=True)
    assert "Boats and rivers was deleted." in readable(done)
    assert owner.get(reverse("study", args=["boats"])).status_code == 404
    again = owner.post(reverse("study-new"), {"slug": "boats", "title": "Boats"})
    assert "A study of this name exists" in readable(again)
