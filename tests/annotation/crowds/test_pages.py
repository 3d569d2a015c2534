"""The researcher's side of a crowd: who may see it, and what its buttons do."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.contrib.auth.models import User
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.crowds import urls as crowd_study_urls
from annotation.crowds.models import CrowdAssignment, CrowdCall, Publication
from annotation.crowds.services import syncing
from mturk_sandbox import Sandbox
from tests.annotation.crowds import scenes
from tests.annotation.crowds.scenes import make_study, published
from tests.annotation.crowds.workers import Turker
from tests.html import readable

pytestmark = pytest.mark.django_db

GET = {
    "study-crowd",
    "study-crowd-review",
    "study-crowd-payments",
    "study-crowd-decisions",
    "study-crowd-order",
}
ANSWERS = {"study-crowd-draft": 422, "study-crowd-approve": 422}


@pytest.fixture
def rosa(db: None) -> Client:
    client = Client()
    client.force_login(scenes.researcher())
    return client


@pytest.fixture
def scene(sandbox: Sandbox) -> Publication:
    """One submission waits, of a study of two HITs."""
    scene = published(make_study(2, scenes.small(ratings=2)), sandbox.url)
    Turker(sandbox, "AONE").qualified(scene).do(scene.listings.first())  # type: ignore[arg-type]
    syncing.sync(scene, at=now())
    return scene


def address(name: str, scene: Publication) -> str:
    crowd = CrowdAssignment.objects.get()
    pattern = next(one for one in crowd_study_urls.urlpatterns if one.name == name)
    values = {
        "slug": "bridges",
        "provider": "mturk",
        "kind": "full",
        "pk": crowd.pk if name == "study-crowd-decide" else scene.pk,
    }
    return reverse(name, kwargs={part: values[part] for part in pattern.pattern.converters})


def test_each_address_is_for_its_owner_and_superusers(scene: Publication) -> None:
    people = {}
    for name, staff, every in (("olaf", True, False), ("vera", False, False), ("sue", True, True)):
        user = User.objects.create(username=name, is_staff=staff, is_superuser=every)
        people[name] = Client()
        people[name].force_login(user)
    for pattern in crowd_study_urls.urlpatterns:
        assert pattern.name is not None
        url = address(pattern.name, scene)
        ask = "get" if pattern.name in GET else "post"
        statuses = {who: getattr(client, ask)(url).status_code for who, client in people.items()}
        expected = 200 if ask == "get" else ANSWERS.get(pattern.name, 302)
        assert statuses == {"olaf": 404, "vera": 404, "sue": expected}, pattern.name
        assert Client().get(url).status_code in (302, 405)
        if ask == "post":
            assert people["sue"].get(url).status_code == 405
        else:
            assert people["olaf"].post(url).status_code in (404, 405)


def test_another_studys_publication_is_not_there(scene: Publication, rosa: Client) -> None:
    make_study(1, slug="other")
    for name in ("study-crowd-review", "study-crowd-payments", "study-crowd-decisions"):
        assert rosa.get(reverse(name, args=["other", scene.pk])).status_code == 404
    crowd = CrowdAssignment.objects.get()
    url = reverse("study-crowd-decide", args=["other", crowd.pk])
    assert rosa.post(url, {"action": "approve"}).status_code == 404
    assert not CrowdCall.objects.filter(kind="approve").exists()


OFFER = {
    "stage": "full",
    "title": "Rate answers",
    "description": "Say how right an answer is.",
    "question": "external",
    "split": "on",
    "lifetime_hours": "24",
    "auto_approval_hours": "72",
    "test_places": "50",
}


def test_from_a_draft_to_hits(sandbox: Sandbox, rosa: Client, settings: Any) -> None:
    study = make_study(2)
    settings.OUTGOING_ALLOWED_HOSTS = [sandbox.url.removeprefix("http://")]
    crowd = reverse("study-crowd", args=[study.slug])
    assert "Title shown to workers" in text(rosa.get(f"{crowd}?provider=mturk"))
    form_data = OFFER | {"environment": "other", "endpoint": sandbox.url, "budget": "5"}
    page = rosa.post(
        reverse("study-crowd-draft", args=[study.slug, "mturk"]), form_data, follow=True
    )
    assert "Publish for $0.80" in text(page) and "Splitting saves $0.20" in text(page)
    assert "Type 0.80 to publish" in text(page)
    page = rosa.post(
        reverse("study-crowd-order", args=[study.slug, Publication.objects.get().pk]),
        {"confirmed": "0.80"},
        follow=True,
    )
    assert "Publishing on Mechanical Turk" in text(page)
    assert "0 of 7 calls made" in text(page)
    scenes.send(Publication.objects.get())
    page = rosa.get(crowd)
    assert "calls made" not in text(page) and ">4<" in text(page)


def test_the_form_offers_the_stage_that_can_be_published(rosa: Client) -> None:
    study = make_study(2)
    crowd = reverse("study-crowd", args=[study.slug]) + "?provider=mturk"
    assert rosa.get(crowd).context["form"]["stage"].value() == "full"
    last = study.stages.order_by("-number")[0]
    last.pk, last.kind, last.number, last.status = None, "trial", last.number + 1, "planned"
    last.save()
    assert rosa.get(crowd).context["form"]["stage"].value() == "full"


def test_real_money_is_confirmed_by_typing(rosa: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    study = make_study(1)
    form_data = OFFER | {"environment": "production"}
    page = rosa.post(
        reverse("study-crowd-draft", args=[study.slug, "mturk"]), form_data, follow=True
    )
    assert "This may charge real money. Type 0.40 to publish" in text(page)
    url = reverse("study-crowd-order", args=[study.slug, Publication.objects.get().pk])
    page = rosa.post(url, {"confirmed": "0.40"}, follow=True)
    assert "HTTPS addresses only" in text(page)  # the test site speaks none
    assert not CrowdCall.objects.exists()


def test_more_places_for_real_money_are_typed(scene: Publication, rosa: Client) -> None:
    more = reverse("study-crowd-order", args=["bridges", scene.pk])
    assert "No places are missing" in text(rosa.get(more))
    scene.stage.hits.update(open_slots=4, wanted=4)
    page = text(rosa.get(more))
    assert "Request for $0.20" in page and 'type="hidden" name="confirmed"' not in page
    assert "This may charge real money. Type 0.20 to request these places" in page
    assert "another amount was confirmed" in text(rosa.post(more, follow=True))
    assert not CrowdCall.objects.filter(kind="top up").exists()
    page = rosa.post(more, {"confirmed": "0.20"}, follow=True)
    assert "A request for 5 more places is queued." in text(page)


@pytest.mark.parametrize(
    "endpoint",
    [
        "https://mturk-requester.us-east-1.amazonaws.com",
        "https://MTurk-Requester.us-east-1.amazonaws.com/",
        "https://turk.example.org",
        "http://127.0.0.1:8008",
        "http://localhost:8008/",
    ],
)
def test_every_spelling_of_a_paid_service_needs_confirmation(
    rosa: Client, settings: Any, endpoint: str
) -> None:
    settings.OUTGOING_ALLOWED_HOSTS = [urlsplit(endpoint).netloc, urlsplit(endpoint).hostname]
    make_study(1)
    form_data = OFFER | {"environment": "other", "endpoint": endpoint}
    page = rosa.post(
        reverse("study-crowd-draft", args=["bridges", "mturk"]), form_data, follow=True
    )
    assert "This may charge real money. Type 0.40 to publish" in text(page)


def test_a_url_outside_the_allowed_hosts_is_refused(rosa: Client) -> None:
    study = make_study(1)
    form_data = OFFER | {"environment": "other", "endpoint": "https://169.254.169.254/"}
    page = rosa.post(reverse("study-crowd-draft", args=[study.slug, "mturk"]), form_data)
    assert page.status_code == 422 and "OUTGOING_ALLOWED_HOSTS does not contain" in text(page)
    assert not Publication.objects.exists()


def test_review_by_rule_by_hand_and_payments(
    scene: Publication, sandbox: Sandbox, rosa: Client
) -> None:
    Turker(sandbox, "ATWO").qualified(scene).do(scene.listings.first())  # type: ignore[arg-type]
    syncing.sync(scene, at=now())
    review = reverse("study-crowd-review", args=["bridges", scene.pk])
    assert "2 of 2 submissions to review are complete" in text(rosa.get(review))
    first, second = CrowdAssignment.objects.order_by("pk")
    decide = reverse("study-crowd-decide", args=["bridges", first.pk])
    page = rosa.post(
        decide,
        {"action": "reject", "ground": "disagreement", "feedback": "No."},
        follow=True,
    )
    assert "not a reason to withhold pay" in text(page)
    form_data = {"action": "reject", "ground": "not read", "feedback": "One second a rating."}
    assert "thirty days" in text(rosa.post(decide, form_data, follow=True))
    approve = reverse("study-crowd-approve", args=["bridges", scene.pk])
    page = text(rosa.post(approve, {"min_seconds": "0"}, follow=True))
    assert "1 approval is queued. Background workers send this" in page
    scenes.send(scene)
    assert "Undo rejection" in text(rosa.get(review))
    assert "The approval is queued." in text(rosa.post(decide, {"action": "approve"}, follow=True))
    bonus = {"action": "bonus", "amount": "0.07", "reason": "Careful"}
    decide_second = reverse("study-crowd-decide", args=["bridges", second.pk])
    assert "The bonus is queued." in text(rosa.post(decide_second, bonus, follow=True))
    scenes.send(scene)
    audit = reverse("study-crowd-refresh-payments", args=["bridges", scene.pk])
    page = rosa.post(audit, follow=True)
    assert "The totals recorded here equal those" in text(page) and "$0.17" in text(page)
    lines = rosa.get(reverse("study-crowd-decisions", args=["bridges", scene.pk]))
    assert "AONE,approved," in readable(lines)


def test_a_problem_is_shown_and_calls_are_retried(
    sandbox: Sandbox, rosa: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    publication = scenes.confirmed(scenes.drafted(make_study(1), sandbox.url))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/nowhere")
    scenes.send(publication)
    crowd = reverse("study-crowd", args=["bridges"])
    assert "Calls to the platform are paused" in text(rosa.get(crowd))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIALAB")
    again = reverse("study-crowd-try-again", args=["bridges", publication.pk])
    assert "Calls to the platform are paused" not in text(rosa.post(again, follow=True))
    assert scenes.send(publication).left == 0


def test_invalid_files_change_nothing(rosa: Client) -> None:
    study = make_study(1, replace(scenes.small(), qualification=None))
    url = reverse("study-crowd-file", args=["bridges", "full"])

    def answer(content: bytes) -> str:
        file = SimpleUploadedFile("results.csv", content)
        return text(rosa.post(url, {"file": file}, follow=True))

    assert "not published to a panel by a link" in answer(b"worker\nw\n")
    published(study, "panel", provider="link")
    assert "no column of worker ids" in answer(b"a,b\n1,2\n")
    assert "not UTF-8" in answer(b"\xff\xfe\x00")
    assert not CrowdAssignment.objects.exists()


def text(response: Any) -> str:
    page_text: str = readable(response)
    return page_text


def test_without_credentials_nothing_is_said_to_be_sent(
    scene: Publication, rosa: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    scene.stage.hits.update(open_slots=4, wanted=4)
    crowd = CrowdAssignment.objects.get()
    decide = reverse("study-crowd-decide", args=["bridges", crowd.pk])
    for path, sent in (
        (reverse("study-crowd-sync", args=["bridges", scene.pk]), {}),
        (reverse("study-crowd-approve", args=["bridges", scene.pk]), {"min_seconds": "0"}),
        (decide, {"action": "bonus", "amount": "0.07", "reason": "Careful"}),
        (reverse("study-crowd-try-again", args=["bridges", scene.pk]), {}),
        (reverse("study-crowd-end", args=["bridges", scene.pk]), {}),
    ):
        page = text(rosa.post(path, sent, follow=True))
        assert "Nothing was sent to the platform. This site has no credentials" in page, path
        assert "AWS_ACCESS_KEY_ID" in page and "Background workers send" not in page


def test_while_calls_are_paused_the_messages_say_so(scene: Publication, rosa: Client) -> None:
    Publication.objects.filter(pk=scene.pk).update(problem="The account has no money.")
    approve = reverse("study-crowd-approve", args=["bridges", scene.pk])
    page = text(rosa.post(approve, {"min_seconds": "0"}, follow=True))
    assert "paused until an owner presses Retry: The account has no money." in page
