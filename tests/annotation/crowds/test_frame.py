"""The rating page in the platform's frame: no cookies, nothing before acceptance, no edited URL."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.crowds.models import CrowdAssignment, Publication
from annotation.crowds.services import hosts, ordering
from annotation.crowds.services.identities import identity_of
from annotation.rating.models import Assignment, Participation, Rating, Worker
from annotation.stages.services import pausing
from core.refusals import RefusedError
from mturk_sandbox import Sandbox
from tests.annotation.crowds import scenes
from tests.annotation.crowds.scenes import make_study, published
from tests.annotation.crowds.workers import Turker
from tests.annotation.rating.invariants import assert_invariants
from tests.html import readable

pytestmark = pytest.mark.django_db
Status = CrowdAssignment.Status


@pytest.fixture
def scene(sandbox: Sandbox) -> Any:
    return published(make_study(2, scenes.small(ratings=2)), sandbox.url)


@pytest.fixture
def wanda(sandbox: Sandbox, scene: Any) -> Turker:
    return Turker(sandbox, "AWANDA").qualified(scene).accept(scene.listings.first())


def counts() -> tuple[int, ...]:
    tables = (Worker, Participation, Assignment, CrowdAssignment, Rating)
    return tuple(table.objects.count() for table in tables)


def test_a_preview_shows_the_task_and_creates_nothing(wanda: Turker) -> None:
    before = counts()
    for assignment_id in ("ASSIGNMENT_ID_NOT_AVAILABLE", ""):
        page = wanda.open(assignmentId=assignment_id, workerId="")
        text = readable(page)
        assert page.status_code == 200 and "Preview." in text and "disabled" in text
        assert "How long is bridge" in text and "Instructions" in text
    assert counts() == before


def test_the_frame_takes_the_worker_from_consent_to_the_form_that_submits(wanda: Turker) -> None:
    first = wanda.client.get(wanda.url(), follow=True)
    assert "I agree" in readable(first) and Rating.objects.count() == 0
    page = wanda.open()
    assert "data-candidate" in readable(page)
    done = wanda.rate(page)
    crowd = CrowdAssignment.objects.get()
    assert (crowd.status, crowd.provider_id) == (Status.RATED, wanda.assignment_id)
    # Rated here is not submitted there.
    assert crowd.assignment is not None and crowd.assignment.status == Assignment.Status.HELD
    text = readable(done)
    assert "All rated" in text and '/mturk/externalSubmit"' in text
    assert 'value="4"' in text
    wanda.submit(done)
    assert not wanda.client.cookies


def test_missing_ratings_are_listed_and_not_submitted(wanda: Turker) -> None:
    page = wanda.open()
    path = page.redirect_chain[-1][0]
    answer = wanda.client.post(path, {"action": "submit"})
    assert answer.status_code == 422 and "Not rated yet" in readable(answer)
    assert CrowdAssignment.objects.get().status == Status.ACCEPTED


def test_ratings_are_saved_as_they_are_made(wanda: Turker) -> None:
    page = wanda.open()
    path = page.redirect_chain[-1][0]
    candidate = Assignment.objects.get().hit.candidates.get()
    body = {"ratings": [{"candidate": candidate.pk, "value": 2}]}
    answer = wanda.client.post(f"{path}ratings/", body, content_type="application/json")
    assert answer.status_code == 200 and Rating.objects.get().value == 2
    # Opened again, as after a reload of the frame, it goes on where it was.
    assert 'value="2" data-key="2" checked' in readable(wanda.open())


def test_only_the_platform_may_frame_it_and_take_its_form(wanda: Turker) -> None:
    pages = [
        wanda.client.get(wanda.url(assignmentId="ASSIGNMENT_ID_NOT_AVAILABLE")),
        wanda.open(),
        wanda.rate(wanda.open()),
    ]
    for page in pages:
        policy = page["Content-Security-Policy"]
        assert f"frame-ancestors {wanda.sandbox.url};" in policy + ";"
        assert f"form-action 'self' {wanda.sandbox.url};" in policy + ";"
        assert "unsafe" not in policy and "X-Frame-Options" not in page
    assert "X-Frame-Options" in Client().get(reverse("sign-in"))


EDITS = {
    "another worker's id": {"workerId": "AOTHER"},
    "another hit": {"hitId": "3OTHERHITID0000000000000000000"},
    "no worker": {"workerId": ""},
    "a worker that is a program": {"workerId": "A'; DROP TABLE--"},
    "another site to submit to": {"turkSubmitTo": "https://evil.example"},
    "no site to submit to": {"turkSubmitTo": ""},
    "a site with a name inside": {"turkSubmitTo": "https://workersandbox.mturk.com@evil.example"},
}


@pytest.mark.parametrize("arrived", [True, False])
def test_an_edited_address_gets_a_clear_error_and_changes_nothing(
    wanda: Turker, arrived: bool
) -> None:
    if arrived:
        wanda.open()
    before = counts()
    for edit, changes in EDITS.items():
        if edit == "another worker's id" and not arrived:
            continue  # the first to come with an assignment has it; who is paid, the platform says
        page = wanda.client.get(wanda.url(**changes))
        text = readable(page)
        assert page.status_code == 409, edit
        assert "open the task again" in text or "open your own" in text
        assert counts() == before


def test_tampered_tokens_are_refused(wanda: Turker) -> None:
    path = wanda.open().redirect_chain[-1][0]
    listing = wanda.url().split("?")
    before = counts()
    token = path.rstrip("/").rpartition("/")[2]
    for bad in (token[:-2] + "xx", token.split(":")[0], "x", token.replace(":", "", 1)):
        for name in ("crowd-task", "crowd-ratings"):
            for answer in (
                wanda.client.get(reverse(name, args=[bad])),
                wanda.client.post(reverse(name, args=[bad]), {"action": "submit"}),
            ):
                assert answer.status_code == 403
                assert "This link is invalid" in readable(answer)
                assert (
                    "frame-ancestors https://worker.mturk.com" in answer["Content-Security-Policy"]
                )
    changed = listing[0].replace("/crowd/", "/crowd/9")
    answer = wanda.client.get(f"{changed}?{listing[1]}")
    assert answer.status_code == 403
    assert counts() == before


def test_a_worker_gets_the_same_hit_once_however_it_is_split(sandbox: Sandbox) -> None:
    publication = published(make_study(1, scenes.small(ratings=10)), sandbox.url)
    first, second = publication.listings.order_by("part")
    wanda = Turker(sandbox, "AWANDA").qualified(publication)
    wanda.do(first)
    page = wanda.accept(second).open()
    assert page.status_code == 409 and "You have rated everything" in readable(page)
    assert CrowdAssignment.objects.count() == 1


def test_a_worker_who_had_one_part_gets_other_work_in_the_second(sandbox: Sandbox) -> None:
    study = make_study(2, scenes.small(ratings=10))
    publication = published(study, sandbox.url)
    one, two = publication.listings.filter(hit__index=1).order_by("part")
    wanda = Turker(sandbox, "AWANDA").qualified(publication)
    first, second = wanda.do(one), wanda.do(two)
    assert first.assignment is not None and second.assignment is not None
    assert second.assignment.hit.index == 2 and second.listing.hit == first.assignment.hit
    assert_but_for_several_holds(study)


def assert_but_for_several_holds(study: Any) -> None:
    from tests.annotation.rating import invariants

    several = invariants.NEVER.pop("a worker holds two HITs of a stage")
    try:
        assert_invariants(study)
    finally:
        invariants.NEVER["a worker holds two HITs of a stage"] = several


def test_a_place_returned_at_the_platform_is_free_again(sandbox: Sandbox, scene: Any) -> None:
    listing = scene.listings.first()
    for name in ("AONE", "ATWO"):
        Turker(sandbox, name).qualified(scene).accept(listing).open()
    one = Turker(sandbox, "AONE")
    one.accept(listing).return_hit()  # the platform tells nobody before it is asked
    three = Turker(sandbox, "ATHREE").qualified(scene).accept(listing)
    assert three.open().status_code == 200
    rows = CrowdAssignment.objects.select_related("participation__worker")
    states = {identity_of(one.participation.worker): one.status for one in rows}
    assert states == {"AONE": "returned", "ATWO": "accepted", "ATHREE": "accepted"}
    assert_but_for_several_holds(scene.stage.study)


def test_an_excluded_worker_is_asked_to_return_the_task(wanda: Turker) -> None:
    wanda.open()
    from annotation.rating.services import participation

    participation.exclude(Participation.objects.get(), "too fast", at=scenes.now())
    page = wanda.client.get(wanda.url())
    assert page.status_code == 409 and "Please return this task" in readable(page)


def test_where_to_submit_is_a_host_or_the_whole_address(scene: Any, sandbox: Sandbox) -> None:
    whole = f"{sandbox.url}/mturk/externalSubmit"
    for submit_to in (sandbox.url, f"{sandbox.url}/", whole, f"{whole}/"):
        assert hosts.submit_address(scene, submit_to) == whole
    scene.environment = "sandbox"
    real = "https://workersandbox.mturk.com"
    assert hosts.submit_address(scene, real) == f"{real}/mturk/externalSubmit"
    for submit_to in ("http://workersandbox.mturk.com", "https://www.mturk.com", sandbox.url, ""):
        with pytest.raises(RefusedError):
            hosts.submit_address(scene, submit_to)
    scene.environment = "production"
    assert hosts.submit_address(scene, "https://www.mturk.com").startswith("https://www.mturk.com/")


def test_a_paused_stage_asks_to_return_the_task(wanda: Turker, scene: Any) -> None:
    stage = scene.stage
    pausing.pause_stage(stage, "Wrong instructions", by=stage.study.owner, at=now())
    page = readable(wanda.open())
    assert "The study is paused. Please return the task." in page
    assert Assignment.objects.count() == 0
    with pytest.raises(RefusedError, match="is paused"):
        ordering.missing(Publication.objects.get(pk=scene.pk), at=now())
