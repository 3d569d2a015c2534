"""Writing to the researcher, appealing, leaving."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.rating.models import Assignment, Message
from annotation.rating.services import participation
from tests.annotation.rating.scenes import Scene, take


@pytest.fixture
def path(qualified: Scene) -> str:
    return reverse("rating-message", args=[qualified.token])


def test_a_message_and_its_answer_are_shown(qualified: Scene, rater: Client, path: str) -> None:
    assert rater.post(path, {"text": "Is <b>this</b> right?\r\nא"})["Location"] == path
    message = Message.objects.get()
    assert (message.kind, message.text) == ("question", "Is <b>this</b> right?\nא")
    assert "No answer yet" in rater.get(path).content.decode()
    Message.objects.update(answer="It is.", answered_at=now())
    page = rater.get(path).content.decode()
    assert "It is." in page and "&lt;b&gt;this" in page and "<b>this" not in page


def test_pressing_a_button_twice_sends_one_message(rater: Client, path: str) -> None:
    for _ in range(2):
        rater.post(path, {"text": "Hello"})
    assert Message.objects.count() == 1


@pytest.mark.parametrize(
    ("form_data", "sentence"),
    [
        ({"text": "  "}, "Write a message first"),
        ({"text": "x" * 10_001}, "at most 10,000"),
        ({"text": "x", "kind": "moon"}, "Choose the kind"),
        ({"text": "why", "kind": "withdrawal"}, "Tick the box"),
    ],
)
def test_a_rejected_message_is_explained_and_kept(
    form_data: dict[str, str], sentence: str, rater: Client, path: str
) -> None:
    response = rater.post(path, form_data)
    page = response.content.decode()
    assert response.status_code == 422 and sentence in page
    assert form_data["text"].strip()[:100] in page
    assert Message.objects.count() == 0


def test_only_the_excluded_appeal(qualified: Scene, rater: Client, path: str) -> None:
    rater.post(path, {"text": "early", "kind": "appeal"})
    assert Message.objects.get().kind == "question"
    participation.exclude(qualified.worker, "", at=now())
    assert "an appeal" in rater.get(path).content.decode()
    rater.post(path, {"text": "I did read them", "kind": "appeal"})
    assert Message.objects.filter(kind="appeal").count() == 1


def test_withdrawing_returns_the_task_and_happens_once(
    qualified: Scene, rater: Client, path: str
) -> None:
    assignment = take(rater, qualified.token)
    for _ in range(2):
        response = rater.post(path, {"kind": "withdrawal", "sure": "yes", "text": "No time"})
        assert response.status_code == 303
    assignment.refresh_from_db()
    qualified.worker.refresh_from_db()
    assert assignment.status == Assignment.Status.RETURNED
    assert qualified.worker.withdrawn_at is not None
    assert [m.text for m in Message.objects.filter(kind="withdrawal")] == ["No time"]
    page = rater.get(path).content.decode()
    assert "Leave this study" not in page and "No time" in page
