"""Ratings saved as they are made: the JSON that goes in, what stands, and what is refused."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.rating.models import Assignment, Rating, RatingChange
from annotation.rating.services import handing_out, participation
from annotation.rating.views.task_display import milliseconds
from tests.annotation.rating.scenes import Scene, form, take


@pytest.fixture
def assignment(qualified: Scene, rater: Client) -> Assignment:
    return take(rater, qualified.token)


@pytest.fixture
def keys(assignment: Assignment) -> list[int]:
    return list(assignment.hit.candidates.values_list("pk", flat=True))


class Saver:
    """A page of the task's worker."""

    def __init__(self, rater: Client, scene: Scene, assignment: Assignment) -> None:
        self.rater = rater
        self.path = reverse("rating-ratings", args=[scene.token, assignment.pk])

    def post(self, *ratings: dict[str, Any]) -> Any:
        return self.raw(json.dumps({"ratings": ratings}))

    def raw(self, body: str) -> Any:
        return self.rater.post(self.path, body, content_type="application/json")


@pytest.fixture
def saver(rater: Client, qualified: Scene, assignment: Assignment) -> Saver:
    return Saver(rater, qualified, assignment)


def test_a_rating_is_saved_with_its_seconds_and_comes_back(saver: Saver, keys: list[int]) -> None:
    response = saver.post({"candidate": keys[0], "value": 4, "comment": "fine", "seconds": 3.25})
    state = json.loads(response.content)
    rating = Rating.objects.get()
    assert (rating.value, rating.comment, rating.seconds) == (4, "fine", 3.25)
    answer = state["ratings"][str(keys[0])]
    assert answer["choice"] == "4" and answer["made_at"] == milliseconds(rating.updated_at)
    assert state["status"] == "held" and 3500 < state["seconds_left"] <= 3600
    assert state["refused"] == {}
    assert json.loads(saver.rater.get(saver.path).content)["ratings"] == state["ratings"]


def test_several_ratings_are_saved_independently(saver: Saver, keys: list[int]) -> None:
    response = saver.post(
        {"candidate": keys[0], "value": 4},
        {"candidate": keys[1], "value": 9},
        {"candidate": keys[2], "value": None, "comment": "no passage"},
        {"candidate": 10**9, "value": 3},
    )
    refused = json.loads(response.content)["refused"]
    assert response.status_code == 422
    assert set(refused) == {str(keys[1]), str(10**9)}
    assert "from 1 to 5" in refused[str(keys[1])] and "not part of" in refused[str(10**9)]
    assert set(Rating.objects.values_list("value", flat=True)) == {4, None}


def test_cannot_judge_needs_a_comment(saver: Saver, keys: list[int]) -> None:
    response = saver.post({"candidate": keys[0], "value": None, "comment": "  "})
    assert response.status_code == 422
    assert "why you cannot judge" in json.loads(response.content)["refused"][str(keys[0])]


@pytest.mark.parametrize(
    "body",
    [
        "",
        "no json",
        "[]",
        "3",
        '{"ratings": 3}',
        '{"ratings": [3]}',
        '{"ratings": [{"candidate": 1}]}',
        '{"ratings": [{"candidate": "1", "value": 3}]}',
        '{"ratings": [{"candidate": true, "value": 3}]}',
        '{"ratings": [{"candidate": -1, "value": 3}]}',
        '{"ratings": [{"candidate": 99999999999999999999, "value": 3}]}',
        '{"ratings": [{"candidate": 1, "value": 3.5}]}',
        '{"ratings": [{"candidate": 1, "value": true}]}',
        '{"ratings": [{"candidate": 1, "value": 3, "comment": 4}]}',
        '{"ratings": [{"candidate": 1, "value": 3, "seconds": "long"}]}',
        '{"ratings": [{"candidate": 1, "value": 3, "seconds": NaN}]}',
        '{"ratings": [{"candidate": 1, "value": 3, "made_at": 1e300}]}',
        '{"ratings": [{"candidate": 1, "value": 3, "made_at": Infinity}]}',
        "[" * 20_000,
        "\udcff".encode("utf-8", "surrogateescape").decode("latin-1"),
    ],
)
def test_an_invalid_rating_is_a_bad_request_with_a_helpful_message(body: str, saver: Saver) -> None:
    response = saver.raw(body)
    assert response.status_code == 400
    assert "Reload the page" in json.loads(response.content)["error"]
    assert Rating.objects.count() == 0


def test_invalid_characters_are_removed_from_a_comment(saver: Saver, keys: list[int]) -> None:
    comment = "a\\u0000b \\ud800 \\ud83e\\uded6 <b>"
    body = f'{{"ratings": [{{"candidate": {keys[0]}, "value": 3, "comment": "{comment}"}}]}}'
    assert saver.raw(body).status_code == 200
    assert Rating.objects.get().comment == "ab  🫖 <b>"


def test_an_endless_comment_is_refused_and_endless_seconds_are_cut(
    saver: Saver, keys: list[int]
) -> None:
    assert saver.post({"candidate": keys[0], "value": 3, "comment": "x" * 5001}).status_code == 422
    saver.post({"candidate": keys[0], "value": 3, "seconds": 1e12})
    seconds = Rating.objects.get().seconds
    assert seconds is not None and seconds <= 7 * 24 * 3600


def test_the_change_made_last_counts_in_any_order_of_arrival(saver: Saver, keys: list[int]) -> None:
    """Two windows: one was offline and sends its older change after the other's newer one."""
    Assignment.objects.update(started_at=now() - timedelta(minutes=30))
    earlier, later = now() - timedelta(minutes=5), now() - timedelta(minutes=1)
    saver.post({"candidate": keys[0], "value": 5, "made_at": milliseconds(later)})
    response = saver.post({"candidate": keys[0], "value": 1, "made_at": milliseconds(earlier)})
    assert response.status_code == 200
    assert json.loads(response.content)["ratings"][str(keys[0])]["choice"] == "5"
    assert Rating.objects.get().value == 5 and RatingChange.objects.count() == 0
    saver.post({"candidate": keys[0], "value": 2, "made_at": milliseconds(now())})
    assert Rating.objects.get().value == 2
    assert RatingChange.objects.get().value == 5


def test_a_wrong_clock_cannot_lock_a_rating(saver: Saver, keys: list[int]) -> None:
    tomorrow, last_year = now() + timedelta(days=1), now() - timedelta(days=365)
    saver.post({"candidate": keys[0], "value": 5, "made_at": milliseconds(tomorrow)})
    assert Rating.objects.get().updated_at <= now()
    saver.post({"candidate": keys[0], "value": 4, "made_at": milliseconds(now())})
    assert Rating.objects.get().value == 4
    saver.post({"candidate": keys[1], "value": 4, "made_at": milliseconds(last_year)})
    assert Rating.objects.filter(updated_at__lt=now() - timedelta(days=1)).count() == 0


def test_the_same_rating_sent_twice_is_one(saver: Saver, keys: list[int]) -> None:
    sent = {"candidate": keys[0], "value": 5, "made_at": milliseconds(now())}
    assert saver.post(sent).content[:20] == saver.post(sent).content[:20]
    assert Rating.objects.count() == 1 and RatingChange.objects.count() == 0


def test_after_the_lease_ratings_are_still_taken(
    saver: Saver, assignment: Assignment, keys: list[int]
) -> None:
    Assignment.objects.update(lease_until=now() - timedelta(minutes=1))
    handing_out.release_expired(assignment.hit.stage, at=now())
    response = saver.post({"candidate": keys[0], "value": 5})
    state = json.loads(response.content)
    assert response.status_code == 200
    assert (state["status"], state["seconds_left"]) == ("expired", 0)


@pytest.mark.parametrize("how", ["submitted", "returned", "left"])
def test_when_the_task_is_closed_a_change_is_refused_for_good(
    how: str, saver: Saver, qualified: Scene, assignment: Assignment, keys: list[int]
) -> None:
    if how == "left":
        participation.withdraw(qualified.worker, "", at=now())
    else:
        action = "submit" if how == "submitted" else "return"
        path = reverse("rating-assignment", args=[qualified.token, assignment.pk])
        saver.rater.post(path, form(assignment, 3, action=action))
    response = saver.post({"candidate": keys[0], "value": 5})
    assert response.status_code == 409
    assert json.loads(response.content)["error"]
    assert not Rating.objects.filter(value=5).exists()


def test_simulated_workers_ratings_are_marked(
    qualified: Scene, saver: Saver, keys: list[int]
) -> None:
    qualified.worker.worker.simulated = True
    qualified.worker.worker.save()
    saver.post({"candidate": keys[0], "value": 5})
    assert Rating.objects.get().simulated
