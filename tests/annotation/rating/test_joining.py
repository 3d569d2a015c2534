"""Invitations: who comes in as whom, and the preview that makes nothing."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.crowds.services.identities import identity_of
from annotation.rating.models import Assignment, Hit, Participation, Worker
from annotation.rating.services import tokens
from annotation.rating.services.invitations import InvitedWorker, signed_invitation, signed_preview
from annotation.stages.services import opening
from tests.annotation.rating.scenes import Scene, make_study
from tests.html import readable

JOIN = "/rate/join/kettle/"


def participation_of(page: str) -> Participation:
    return tokens.participation_of(page.split("/")[2])


def workers() -> set[tuple[str, str, bool]]:
    return {(one.provider, identity_of(one), one.simulated) for one in Worker.objects.all()}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("worker=nina", ("link", "nina", False)),
        ("worker=%20%00nina%20", ("link", "nina", False)),
    ],
)
def test_a_worker_named_in_the_link_gets_the_same_page_each_time(
    query: str, expected: tuple[str, str, bool], scene: Scene, rater: Client
) -> None:
    first, again = rater.get(f"{JOIN}?{query}"), rater.post(f"{JOIN}?{query}")
    assert first.status_code == again.status_code == 303
    assert expected in workers() and Worker.objects.count() == 2
    for response in (first, again):
        assert "overview" in rater.get(response["Location"]).content.decode().lower()


def test_the_id_of_a_crowd_opens_no_page(scene: Scene, rater: Client) -> None:
    page = rater.get(f"{JOIN}?PROLIFIC_PID=5f3a&STUDY_ID=s&SESSION_ID=t")
    assert page.status_code == 200 and 'name="worker"' in page.content.decode()
    assert Worker.objects.count() == 1


def test_a_visitor_gets_a_fresh_id_by_a_button_that_may_be_pressed_twice(
    scene: Scene, rater: Client
) -> None:
    page = rater.get(JOIN).content.decode()
    assert Worker.objects.count() == 1
    fresh = re.search(r'name="worker" value="([^"]{20,})"', page)
    assert fresh is not None
    for _ in range(2):
        assert rater.post(JOIN, {"worker": fresh[1]}).status_code == 303
    assert ("link", fresh[1], False) in workers() and Worker.objects.count() == 2
    other = re.search(r'name="worker" value="([^"]{20,})"', rater.get(JOIN).content.decode())
    assert other is not None and other[1] != fresh[1]


def test_a_second_visit_in_the_same_browser_continues(scene: Scene, rater: Client) -> None:
    fresh = r'name="worker" value="([^"]{20,})"'
    first = rater.post(JOIN, {"worker": re.search(fresh, readable(rater.get(JOIN)))[1]})  # type: ignore[index]
    page = readable(rater.get(JOIN))
    assert "You began in this browser" in page and Worker.objects.count() == 2
    assert participation_of(rater.post(JOIN)["Location"]) == participation_of(first["Location"])
    assert Worker.objects.count() == 2
    other = rater.post(JOIN, {"worker": re.search(fresh, page)[1]})  # type: ignore[index]
    assert participation_of(other["Location"]) != participation_of(first["Location"])
    assert Worker.objects.count() == 3
    assert "You began" not in readable(Client().get(JOIN))
    Worker.objects.update(erased_at=now())
    assert "You began" not in readable(rater.get(JOIN))


def test_a_signed_invitation_contains_worker_and_provider(scene: Scene, rater: Client) -> None:
    invite = signed_invitation(scene.study, InvitedWorker("panel", "p-9", simulated=True))
    response = rater.get(JOIN, {"invite": invite, "worker": "someone else"})
    assert response.status_code == 303
    assert workers() == {("link", "wanda", False), ("panel", "p-9", True)}
    assert "Simulated rater" in rater.get(response["Location"]).content.decode()


@pytest.mark.parametrize("fault", ["changed", "of another study", "nonsense"])
def test_an_invitation_that_was_not_signed_for_this_study_is_refused(
    fault: str, scene: Scene, rater: Client
) -> None:
    invite = signed_invitation(scene.study, InvitedWorker("panel", "p-9"))
    if fault == "of another study":
        invite = signed_invitation(make_study("other").study, InvitedWorker("panel", "p-9"))
    invite = {"changed": invite + "x", "nonsense": "a:b"}.get(fault, invite)
    before = workers()
    response = rater.get(JOIN, {"invite": invite})
    assert response.status_code == 403 and "link" in response.content.decode()
    assert workers() == before


def test_an_unknown_study_and_an_overlong_id_are_reported(scene: Scene, rater: Client) -> None:
    assert rater.get("/rate/join/nowhere/").status_code == 404
    assert rater.get("/rate/join/a%00b/").status_code == 404
    assert rater.get(JOIN, {"worker": "x" * 201}).status_code == 400


def test_a_study_that_is_over_invites_nobody_new(scene: Scene, rater: Client) -> None:
    opening.close_stage(scene.stage("full"), at=now())  # the test may still be open
    for query in ("", "?worker=nina"):
        for send in (rater.get, rater.post):
            response = send(f"{JOIN}{query}")
            assert response.status_code == 410 and "This study is over" in readable(response)
    assert Worker.objects.count() == 1
    again = rater.get(f"{JOIN}?worker=wanda", follow=True)
    assert "The study is over" in readable(again) and "Earned so far" in readable(again)


def test_an_invitation_says_that_the_study_is_not_open(db: None, rater: Client) -> None:
    make_study(open_stages=False)
    assert "The study is not open now" in readable(rater.get(JOIN))


@pytest.fixture
def owner(scene: Scene) -> Client:
    client = Client()
    client.force_login(scene.owner)
    return client


def test_the_pages_say_that_a_name_in_a_link_is_not_signed(scene: Scene, owner: Client) -> None:
    stages = readable(owner.get(reverse("study-stages", args=["kettle"])))
    assert "?worker=ann</code>) is not signed" in stages
    links = readable(owner.get(reverse("study-invitations", args=["kettle"])))
    assert "whoever writes the same name gets the same page" in links


def test_a_signed_link_belongs_to_one_rater(scene: Scene, owner: Client, rater: Client) -> None:
    path = reverse("study-invitations", args=["kettle"])
    assert "Enter at least one name" in readable(owner.post(path, {"workers": " \n "}))
    made = owner.post(path, {"workers": "nina\nolga\nnina\n"}).context["links"]
    assert [name for name, _ in made] == ["nina", "olga"]
    page = rater.get(made[0][1])["Location"]
    assert participation_of(rater.get(made[0][1])["Location"]) == participation_of(page)
    assert participation_of(rater.get(made[1][1])["Location"]) != participation_of(page)
    imitated = rater.get(f"{JOIN}?worker=nina")["Location"]
    assert participation_of(imitated) != participation_of(page), "a written name is somebody else"
    assert rater.get(made[0][1][:-1]).status_code == 403


def test_a_study_may_accept_signed_links_only(scene: Scene, owner: Client, rater: Client) -> None:
    [(_, link)] = owner.post(
        reverse("study-invitations", args=["kettle"]), {"workers": "nina"}
    ).context["links"]
    joining = reverse("study-joining", args=["kettle"])
    assert "Accept the open link again" in readable(
        owner.post(joining, {"only": "yes"}, follow=True)
    )
    workers_before = Worker.objects.count()
    for query in ("", "?worker=wanda"):
        for send in (rater.get, rater.post):
            refused = send(f"{JOIN}{query}")
            assert refused.status_code == 403 and "needs a personal link" in readable(refused)
    assert Worker.objects.count() == workers_before
    assert rater.get(link).status_code == 303
    assert rater.get(reverse("rating-home", args=[scene.token])).status_code == 200
    owner.post(joining, {"only": "no"})
    assert rater.get(f"{JOIN}?worker=nina").status_code == 303


@pytest.mark.parametrize("packed", [True, False], ids=["packed", "not packed yet"])
@pytest.mark.parametrize("stage", ["qualification", "full"])
def test_a_preview_shows_the_task_and_creates_nothing(
    stage: str, packed: bool, db: None, rater: Client
) -> None:
    scene = make_study(open_stages=packed)
    hits = Hit.objects.count()
    query = {"key": signed_preview(scene.study), "stage": stage}
    response = rater.get("/rate/preview/kettle/", query)
    page = response.content.decode()
    assert response.status_code == 200
    assert "Nothing here is saved" in page and "data-save" not in page
    assert ("Who lit the lamp?" in page) == (stage == "qualification")
    assert page.count('class="card"') == (4 if stage == "qualification" else 3)
    counts = (Hit.objects.count(), Assignment.objects.count(), Participation.objects.count())
    assert counts == (hits, 0, 1)


def test_a_preview_shows_the_same_hits_before_and_after_packing(db: None, rater: Client) -> None:
    before = make_study("before", open_stages=False)
    after = make_study("after", open_stages=True)
    shown = []
    for scene in (before, after):
        query = {"key": signed_preview(scene.study), "stage": "full"}
        page = rater.get(f"/rate/preview/{scene.study.slug}/", query).content.decode()
        shown.append(re.findall(r'<p class="text[^>]*>([^<]*)</p>', page))
    assert shown[0] == shown[1]


def test_only_the_owner_or_a_signed_link_sees_a_preview(
    scene: Scene, rater: Client, owner: Client
) -> None:
    stranger = Client()
    stranger.force_login(User.objects.create_user("vera"))
    path = reverse("rating-preview", args=["kettle"])
    assert owner.get(path).status_code == 200
    assert stranger.get(path).status_code == rater.get(path).status_code == 403
    key = signed_preview(make_study("other").study)
    assert rater.get(path, {"key": key}).status_code == 403
    assert owner.get(path, {"hit": "99"}).status_code == 200
    assert owner.get(path, {"hit": "x", "stage": "moon"}).status_code == 200


def test_a_preview_of_an_empty_study_says_what_is_missing(db: None, rater: Client) -> None:
    scene = make_study(open_stages=False)
    scene.study.candidates.all().delete()
    query = {"key": signed_preview(scene.study), "stage": "full"}
    assert "upload candidates first" in rater.get("/rate/preview/kettle/", query).content.decode()
