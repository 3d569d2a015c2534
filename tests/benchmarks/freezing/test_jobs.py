"""Freezing as a job: one version whatever happens on the way, followed and stopped on its page."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from threading import Barrier, Thread
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.studies.models import StudyMember
from annotation.studies.services.members import members
from benchmarks.freezing import services as freezing
from benchmarks.freezing import tasks
from benchmarks.freezing.models import Freezing
from benchmarks.freezing.services import making, preparing, previews
from benchmarks.sets.models import JudgmentSet
from core.accounts.roles import Role
from core.audit.models import AuditEvent
from core.jobs import kinds
from core.jobs.models import MAX_TRIES
from core.refusals import RefusedError
from tests.annotation import people
from tests.annotation.conftest import signed_in
from tests.annotation.people import Scene
from tests.core.rest.people import caller
from tests.html import readable
from tests.waiting import wait_for

HTMX = {"HX-Request": "true"}


def ask(scene: Scene, **more: Any) -> Freezing:
    return freezing.request(scene.study, "mean", by=scene.study.owner, at=now(), **more)


def done(asked: Freezing) -> Freezing:
    freezing.FREEZINGS.perform(asked.pk)
    return Freezing.objects.get(pk=asked.pk)


def job_set(job: Freezing) -> JudgmentSet:
    return JudgmentSet.objects.get(pk=job.judgment_set)


def events() -> list[str]:
    rows = AuditEvent.objects.filter(action__in=("study.frozen", "set.version made"))
    return sorted(rows.values_list("action", flat=True))


def test_from_the_page_to_the_set(
    scene: Scene, owner: Client, django_capture_on_commit_callbacks: Any, monkeypatch: Any
) -> None:
    sent: list[int] = []
    monkeypatch.setattr(tasks.freeze_study, "delay", sent.append)
    url = reverse("study-freeze", args=[scene.slug])
    with django_capture_on_commit_callbacks(execute=True):
        answer = owner.post(url, {"aggregation": "mean", "stages": ["full"], "name": "made"})
    asked = Freezing.objects.get()
    assert sent == [asked.pk] and answer["Location"] == asked.get_absolute_url()
    assert not JudgmentSet.objects.exists()
    followed = readable(owner.get(answer["Location"]))
    assert f'hx-get="{answer["Location"]}"' in followed and "waiting for a worker" in followed
    assert answer["Location"] in readable(owner.get(url)), "the form's page links it"
    job = done(asked)
    assert (job.status, job.percent, str(job_set(job))) == ("complete", 100, "made@1")
    ended = readable(owner.get(answer["Location"]))
    assert "hx-trigger" not in ended and 'href="/sets/made@1/"' in ended
    goes_on = owner.get(answer["Location"], headers=HTMX)
    assert goes_on["HX-Redirect"] == "/sets/made@1/"
    overview = readable(owner.get("/sets/made@1/"))
    assert "made@1 is frozen" in overview
    files = readable(owner.get("/sets/made@1/files/"))
    assert "<dt>Frozen</dt>" in files and "<dt>Imported</dt>" not in files
    assert answer["Location"] not in readable(owner.get(url))


def test_a_message_delivered_twice_makes_one_version(scene: Scene) -> None:
    asked = done(ask(scene))
    freezing.FREEZINGS.perform(asked.pk)
    assert JudgmentSet.objects.count() == 1
    assert events() == ["set.version made", "study.frozen"]
    actor = AuditEvent.objects.get(action="study.frozen").actor_name
    assert actor == scene.study.owner.get_username()
    assert str(job_set(done(ask(scene)))) == "boats@2", "asked for again, the next version"


def test_a_freezing_that_loses_its_lease_makes_no_version_and_no_audit_event(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, storing = ask(scene), making.store

    def taken_over_meanwhile(*args: Any, **more: Any) -> JudgmentSet:
        made = storing(*args, **more)
        Freezing.objects.update(attempt=2)
        return made

    monkeypatch.setattr(making, "store", taken_over_meanwhile)
    freezing.FREEZINGS.perform(asked.pk)
    assert not JudgmentSet.objects.exists() and events() == []


def test_an_expired_freezing_is_sent_again_and_fails_after_three_attempts(scene: Scene) -> None:
    asked = ask(scene)
    for _ in range(MAX_TRIES):
        assert Freezing.claim(asked.pk, at=now()) is not None
        freezing.FREEZINGS.perform(asked.pk)  # another worker holds it
        assert not JudgmentSet.objects.exists()
        Freezing.objects.update(lease_until=now() - timedelta(seconds=1))
        assert Freezing.stale(at=now()) == [asked.pk]
    job = done(asked)
    assert (job.status, job.reason[:10]) == ("failed", "Its worker")
    assert not JudgmentSet.objects.exists()


def test_equal_waiting_requests_share_one_job(scene: Scene, rosa: User) -> None:
    first = ask(scene, stages=["full"])
    assert ask(scene) == ask(scene, name="boats") == first, "these are the defaults"
    others = {
        ask(scene, name="other"),
        ask(scene, is_preview=True),
        ask(scene, stages=["full", "trial"]),
    }
    assert first not in others and len(others) == 3
    done(first)
    assert ask(scene) != first


@pytest.mark.django_db(transaction=True)
def test_two_simultaneous_requests_get_one_job(transactional_db: None) -> None:
    scene = people.full_scene()
    barrier, job_pks = Barrier(4), []

    def asks() -> None:
        barrier.wait()
        job_pks.append(ask(scene).pk)
        connection.close()

    threads = [Thread(target=asks) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(job_pks) == 4 and len(set(job_pks)) == 1 == Freezing.objects.count()


def test_old_freezings_are_deleted_and_their_sets_stay(scene: Scene) -> None:
    old, recent = done(ask(scene)), done(ask(scene))
    long_ago = now() - timedelta(days=31)
    Freezing.objects.filter(pk=old.pk).update(finished_at=long_ago)
    active = ask(scene)
    Freezing.objects.filter(pk=active.pk).update(created_at=long_ago, sent_at=long_ago)
    kinds.delete_ended()
    assert set(Freezing.objects.all()) == {recent, active}
    assert JudgmentSet.objects.count() == 2


def test_a_stopped_freezing_makes_no_set(scene: Scene, owner: Client) -> None:
    asked = ask(scene)
    answer = owner.post(reverse("study-stop-freezing", args=[scene.slug, asked.pk]), follow=True)
    assert "Stopped by hand." in readable(answer)
    assert done(asked).status == "cancelled" and not JudgmentSet.objects.exists()
    again = owner.post(reverse("study-stop-freezing", args=[scene.slug, asked.pk]), follow=True)
    assert "is already cancelled" in readable(again)


def test_a_freezing_without_gold_scores_fails_with_the_reason_on_its_page(
    scene: Scene, owner: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The only ratings that are left are those of pairs; no set exists that could take them."""
    job = ask(scene)
    scene.study.candidates.filter(pair="").update(use="dropped", drop_reason="empty")
    job = done(job)
    assert job.status == "failed"
    assert "The study has minimal pairs only" in readable(owner.get(job.get_absolute_url()))


def test_requests_that_must_fail_are_refused_before_a_job_starts(
    scene: Scene, rosa: User, owner: Client
) -> None:
    with pytest.raises(RefusedError, match="There is no aggregation"):
        freezing.request(scene.study, "best", by=rosa, at=now())
    with pytest.raises(RefusedError, match="nothing to freeze"):
        ask(scene, stages=["trial"])
    fresh = people.new_study(rosa, rows=people.candidates(1), slug="fresh")
    for choices in ({}, {"preview": "1"}):
        url = reverse("study-freeze", args=[fresh.slug])
        answer = owner.post(url, {"aggregation": "mean", **choices})
        assert answer.status_code == 422 and "nothing to freeze" in readable(answer)
    people.rate(people.open_stage(fresh), people.join(fresh, "a"))
    freezing.freeze(scene.study, "mean", name="taken", by=rosa, at=now())
    answer = owner.post(url, {"aggregation": "mean", "name": "taken"})
    assert answer.status_code == 422 and "was not frozen from this study" in readable(answer)
    assert not Freezing.objects.exists()


def test_a_freezing_fails_if_its_requester_lost_the_role(scene: Scene) -> None:
    edith = people.researcher("edith")
    members(scene.study).add(edith, Role.EDITOR, at=now())
    asked = freezing.request(scene.study, "mean", by=edith, at=now())
    StudyMember.objects.filter(user=edith).update(role=Role.VIEWER)
    job = done(asked)
    assert job.status == "failed" and "needs the role editor" in job.reason


@pytest.fixture
def large(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every study is too large to be previewed in a request."""
    monkeypatch.setattr(previews, "MAX_ROWS_AT_ONCE", 10)


def test_a_large_study_is_previewed_by_a_worker(
    scene: Scene, owner: Client, large: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    small = previews.preview(scene.study, "mean", ["full"])
    url = reverse("study-freeze", args=[scene.slug])
    with monkeypatch.context() as patched:  # the request does not compute it
        patched.delattr(preparing, "study_gold")
        page = readable(owner.get(url))
    assert "Compute the preview" in page and "Preview of the contents" not in page
    answer = owner.post(url, {"aggregation": "mean", "stages": ["full"], "preview": "1"})
    job = done(Freezing.objects.get())
    assert (job.status, job.judgment_set) == ("complete", None)
    assert previews.FreezingPreview(**job.preview or {}) == small
    page = readable(owner.get(answer["Location"]))
    assert "Preview of the contents" in page and "Freeze to boats" in page
    assert not JudgmentSet.objects.exists()


def test_a_freezing_of_another_study_is_not_there(scene: Scene, rosa: User, owner: Client) -> None:
    asked = ask(scene)
    people.new_study(rosa, rows=people.candidates(1), slug="other")
    for name in ("study-freezing", "study-stop-freezing"):
        send = owner.get if name == "study-freezing" else owner.post
        assert send(reverse(name, args=["other", asked.pk])).status_code == 404
    assert caller(rosa).get(f"/studies/other/freezings/{asked.pk}").status_code == 404


def test_a_viewer_follows_and_does_not_stop(scene: Scene) -> None:
    vera = people.researcher("vera", staff=False)
    members(scene.study).add(vera, Role.VIEWER, at=now())
    asked = ask(scene)
    page = readable(signed_in(vera).get(asked.get_absolute_url()))
    assert "waiting for a worker" in page and "Stop" not in page


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_freezing_restarts_after_its_worker_is_killed_and_makes_one_version(
    worker: Any, transactional_db: None, settings: Any, manage: Callable[..., Any]
) -> None:
    settings.SCORING_LEASE_SECONDS = 3
    worker.environment |= {"SCORING_LEASE_SECONDS": "3"}
    scene = people.full_scene()
    asked = ask(scene)
    assert Freezing.claim(asked.pk, at=now()) is not None  # and its worker dies
    Freezing.objects.update(lease_until=now())
    worker.start("--queues", "light")
    tasks.freeze_study.delay(asked.pk)
    job = Freezing.objects.filter(pk=asked.pk)
    wait_for(lambda: not job.get().is_active)
    assert (job.get().status, job.get().attempt) == ("complete", 2)
    assert JudgmentSet.objects.count() == 1
