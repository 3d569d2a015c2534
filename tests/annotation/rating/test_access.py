"""Every rating address: who gets in, what it refuses, and what its answers carry."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.core import signing
from django.test import Client
from django.urls import URLPattern, reverse
from django.utils.timezone import now

from annotation import urls as annotation_urls
from annotation.rating import urls as rating_urls
from annotation.rating.models import Assignment, Participation, Worker
from annotation.rating.services import handing_out, tokens
from annotation.rating.services.invitations import signed_preview
from tests.annotation.rating.scenes import Scene, form, qualify, take

OF_A_WORKER = (
    "rating-home",
    "rating-task",
    "rating-assignment",
    "rating-ratings",
    "rating-test",
    "rating-message",
    "rating-done",
)
OPEN = ("rating-join", "rating-preview")


def address(name: str, token: str, assignment: Assignment | None = None) -> str:
    if name in OPEN:
        return reverse(name, args=["kettle"])
    if name in ("rating-assignment", "rating-ratings"):
        return reverse(name, args=[token, assignment.pk if assignment else 1])
    return reverse(name, args=[token])


@pytest.fixture
def assignment(qualified: Scene, rater: Client) -> Assignment:
    return take(rater, qualified.token)


def test_no_url_is_missing_from_the_tables() -> None:
    patterns = [*annotation_urls.urlpatterns, *rating_urls.urlpatterns]
    assert {p.name for p in patterns if isinstance(p, URLPattern)} == {*OF_A_WORKER, *OPEN}


@pytest.mark.parametrize("name", [*OF_A_WORKER, *OPEN])
def test_no_page_sets_a_cookie_unasked_and_every_page_may_be_framed_by_the_named_sites(
    name: str, qualified: Scene, rater: Client, assignment: Assignment, settings: Any
) -> None:
    settings.RATING_FRAME_ANCESTORS = ["'self'", "https://panel.example"]
    path = address(name, qualified.token, assignment)
    if name == "rating-preview":
        path += f"?key={signed_preview(qualified.study)}"
    for response in (rater.get(path), rater.post(path), rater.get(path + "?worker=new")):
        assert not response.cookies
        assert "X-Frame-Options" not in response
        policy = response["Content-Security-Policy"]
        assert "frame-ancestors 'self' https://panel.example" in policy
        assert "script-src 'self'" in policy and "unsafe" not in policy
        assert "no-store" in response["Cache-Control"]


def test_other_pages_stay_out_of_frames(rater: Client, db: None) -> None:
    response = rater.get(reverse("sign-in"))
    assert response["X-Frame-Options"] == "DENY"
    assert "frame-ancestors 'none'" in response["Content-Security-Policy"]


@pytest.mark.parametrize("name", OF_A_WORKER)
@pytest.mark.parametrize("fault", ["tampered", "cut", "of another kind", "nobody's", "expired"])
def test_an_invalid_token_gives_no_access(
    name: str, fault: str, scene: Scene, rater: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = scene.token
    if fault == "tampered":
        token = token[:-1] + ("a" if token[-1] != "a" else "b")
    elif fault == "cut":
        token = token[:5]
    elif fault == "of another kind":
        token = signing.dumps(scene.worker.pk, salt="something else")
    elif fault == "nobody's":
        token = signing.dumps(10**9, salt=tokens.SALT)
    else:
        monkeypatch.setattr(tokens, "VALID_SECONDS", -1)
    response = rater.get(address(name, token))
    assert response.status_code == 403
    text = response.content.decode()
    assert "invitation" in text
    if name == "rating-ratings":
        assert "invitation" in json.loads(text)["error"]


def test_a_task_of_another_worker_is_not_there(
    qualified: Scene, rater: Client, assignment: Assignment
) -> None:
    other = qualified.another("olga")
    qualify(qualified, other)
    token = tokens.token_for(other)
    for name in ("rating-assignment", "rating-ratings"):
        path = reverse(name, args=[token, assignment.pk])
        assert rater.get(path).status_code == 404
        assert rater.post(path, form(assignment), follow=False).status_code == 404
    assert assignment.ratings.count() == 0


@pytest.mark.parametrize("name", [*OF_A_WORKER, *OPEN])
def test_other_methods_are_refused(name: str, scene: Scene, rater: Client) -> None:
    response = rater.delete(address(name, scene.token))
    assert response.status_code == 405
    assert "GET" in response["Allow"]


@pytest.mark.parametrize("name", ["rating-assignment", "rating-ratings", "rating-message"])
def test_too_large_a_body_is_refused_before_it_is_read(
    name: str, qualified: Scene, rater: Client, assignment: Assignment
) -> None:
    path = address(name, qualified.token, assignment)
    response = rater.post(path, {"text": "x" * 70_000})
    assert response.status_code == 413
    assert "shorten" in response.content.decode()


def test_a_get_request_creates_nothing(scene: Scene, rater: Client) -> None:
    before = (Worker.objects.count(), Participation.objects.count(), Assignment.objects.count())
    for name in OF_A_WORKER:
        rater.get(address(name, scene.token))
    rater.get(reverse("rating-join", args=["kettle"]))
    rater.head(reverse("rating-join", args=["kettle"]) + "?worker=program")
    after = (Worker.objects.count(), Participation.objects.count(), Assignment.objects.count())
    assert after == before


def test_the_overview_takes_few_queries(
    qualified: Scene, rater: Client, django_assert_max_num_queries: Any
) -> None:
    handing_out.hand_out(qualified.worker.worker, qualified.stage("full"), at=now())
    with django_assert_max_num_queries(14):
        rater.get(reverse("rating-home", args=[qualified.token]))


def test_saving_a_rating_takes_few_queries(
    qualified: Scene, rater: Client, assignment: Assignment, django_assert_max_num_queries: Any
) -> None:
    candidate = assignment.hit.candidates.first()
    assert candidate is not None
    body = {"ratings": [{"candidate": candidate.pk, "value": 3}]}
    path = reverse("rating-ratings", args=[qualified.token, assignment.pk])
    with django_assert_max_num_queries(20):  # two of them delete the draft and read the others
        response = rater.post(path, body, content_type="application/json")
    assert response.status_code == 200


def test_an_expired_assignment_shows_no_negative_countdown(
    qualified: Scene, rater: Client, assignment: Assignment
) -> None:
    Assignment.objects.update(lease_until=now() - timedelta(hours=1))
    page = rater.get(reverse("rating-task", args=[qualified.token])).content.decode()
    assert 'data-seconds-left="0"' in page and "Time's up" in page
