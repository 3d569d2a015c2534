"""How many statements each request of a rater takes, with BEGIN, COMMIT and savepoints."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotation.rating.models import Rating, RatingChange, RatingDraft
from tests.annotation import factories
from tests.annotation.rating.scenes import Scene, make_study, qualify, take

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def qualified() -> Scene:
    scene = make_study()
    qualify(scene)
    return scene


@contextmanager
def statements(count: int) -> Iterator[None]:
    """A block with so many statements, none of which is a savepoint."""
    with CaptureQueriesContext(connection) as captured:
        yield
    texts = [" ".join(query["sql"].split()) for query in captured.captured_queries]
    assert len(texts) == count, "\n".join(text[:120] for text in texts)
    assert not [text for text in texts if "SAVEPOINT" in text]


def test_a_save_is_one_transaction(qualified: Scene, rater: Client) -> None:
    assignment = take(rater, qualified.token)
    first, second, third = assignment.hit.candidates.values_list("pk", flat=True)
    path = reverse("rating-ratings", args=[qualified.token, assignment.pk])

    def save(*ratings: dict[str, object]) -> None:
        body = json.dumps({"ratings": ratings})
        assert rater.post(path, body, content_type="application/json").status_code == 200

    with statements(9):
        save({"candidate": first, "value": 4})
    with statements(10):  # and the earlier values
        save({"candidate": first, "value": 5})
    with statements(10):
        save({"candidate": second, "value": 4}, {"candidate": third, "value": 2})
    assert Rating.objects.count() == 3 and RatingChange.objects.count() == 1
    with statements(9):
        save({"candidate": third, "value": 3, "draft": True})
    assert RatingDraft.objects.count() == 1
    with statements(11):  # the earlier values, and the draft is deleted
        save({"candidate": third, "value": 3})
    assert not RatingDraft.objects.exists()
    with statements(5):
        assert rater.get(path).status_code == 200


def test_a_submission_and_the_next_task_are_two_transactions(
    qualified: Scene, rater: Client
) -> None:
    start = reverse("rating-task", args=[qualified.token])
    with statements(14):
        assert rater.post(start).status_code == 303
    with statements(14):
        assert rater.get(start).status_code == 200
    with statements(10):
        assert rater.post(start).status_code == 303
    assignment = take(rater, qualified.token)
    factories.rate_all(assignment)
    path = reverse("rating-assignment", args=[qualified.token, assignment.pk])
    with statements(24):
        response = rater.post(path, {"action": "submit", "saved": "1"})
    assert response.status_code == 303 and "submitted=" in response["Location"]
    with statements(14):  # no other is new, so those that the rater returned are looked up
        assert rater.get(response["Location"]).status_code == 200
