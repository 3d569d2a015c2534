"""Answers that a rater has not finished: they are saved, shown again, and are no ratings."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils.timezone import now

from annotation.privacy.services.erasing import erase
from annotation.rating.models import Assignment, Rating, RatingChange, RatingDraft
from annotation.rating.services import handing_out
from annotation.rating.services.rating_checks import Answer
from annotation.studies.intake import Item
from concord.protocols import Protocol
from core.refusals import RefusedError
from tests.annotation import factories
from tests.annotation.rating.test_criteria import ANSWERS, PROTOCOL, path_of
from tests.annotation.rating.test_spans import ERRORS, TEXT
from tests.html import readable

pytestmark = pytest.mark.django_db

MARK = {"start": 12, "end": 22, "severity": "minor", "categories": []}


def task(protocol: Protocol = PROTOCOL) -> Assignment:
    candidates = [Item.single("c", factories.instance(1), TEXT, "a")]
    stage = factories.open_stage(factories.make_study(protocol, candidates))
    assignment = handing_out.hand_out(factories.worker(stage.study, "ann"), stage, at=now())
    assert assignment is not None
    return assignment


def post(client: Client, assignment: Assignment, **change: Any) -> Any:
    (pk,) = factories.members(assignment)
    body = json.dumps({"ratings": [{"candidate": pk, **change}]})
    path = path_of(assignment, "rating-ratings")
    return client.post(path, body, content_type="application/json")


def shown(client: Client, assignment: Assignment) -> dict[str, Any]:
    (entry,) = client.get(path_of(assignment, "rating-ratings")).json()["ratings"].values()
    return entry


@pytest.mark.parametrize(
    ("sent", "choice"), [({}, ""), ({"value": 4}, "4"), ({"value": None}, "cannot")]
)
def test_a_draft_comes_back_and_is_no_rating(
    client: Client, sent: dict[str, Any], choice: str
) -> None:
    assignment = task()
    answer = post(client, assignment, draft=True, answers={"fluency": 2}, comment="hm", **sent)
    assert answer.status_code == 200, answer.content
    entry = shown(client, assignment)
    assert (entry["choice"], entry["comment"]) == (choice, "hm")
    assert entry["answers"] == {"fluency": 2}
    assert not Rating.objects.exists()
    with pytest.raises(RefusedError, match="not rated yet"):
        handing_out.submit(assignment, at=now())


def test_a_complete_rating_replaces_its_draft(client: Client) -> None:
    assignment = task()
    post(client, assignment, draft=True, value=2)
    post(client, assignment, value=2, answers=ANSWERS)
    assert not RatingDraft.objects.exists()
    assert shown(client, assignment)["answers"] == ANSWERS
    handing_out.submit(assignment, at=now())


def test_a_change_that_is_not_finished_keeps_the_rating_but_must_be_finished(
    client: Client,
) -> None:
    assignment = task(factories.plain(criteria=(ERRORS,)))
    post(client, assignment, value=4, answers={"errors": []})
    post(client, assignment, draft=True, value=4, answers={"errors": [MARK]})
    assert Rating.objects.get().answers == {"errors": []}
    assert shown(client, assignment)["answers"] == {"errors": [MARK]}
    assert handing_out.count_unrated(assignment) == 1
    page = client.post(path_of(assignment, "rating-assignment"), {"action": "submit", "saved": 1})
    assert page.status_code == 422 and "Not rated yet" in page.content.decode()


def test_the_change_made_last_counts_in_any_order_of_arrival() -> None:
    assignment = task()
    (pk,) = factories.members(assignment)
    start = assignment.started_at
    first, second, third = (start + timedelta(seconds=n) for n in (1, 2, 3))
    later = start + timedelta(seconds=9)
    draft = Answer(3, "second", is_draft=True)
    factories.save_change(assignment, pk, draft, made_at=second, at=later)
    factories.save_change(
        assignment, pk, Answer(1, "first", is_draft=True), made_at=first, at=later
    )
    assert RatingDraft.objects.get().comment == "second"
    rating = Answer(2, answers=ANSWERS)
    factories.save_change(assignment, pk, rating, made_at=first, at=later)
    assert RatingDraft.objects.get().comment == "second", "the rating was made before"
    factories.save_change(assignment, pk, rating, made_at=third, at=later)
    factories.save_change(assignment, pk, draft, made_at=second, at=later)
    assert not RatingDraft.objects.exists()


@pytest.mark.parametrize(
    ("draft", "message"),
    [
        ({"value": 9}, "from 1 to 5"),
        ({"value": 2, "answers": {"fluency": 7}}, "from 1 to 2"),
        ({"value": 2, "answers": {"speed": 7}}, "does not ask"),
        ({"value": 5, "answers": {"errors": ["name"]}}, "does not follow"),
        ({"comment": "x" * 5_001}, "5,000 characters"),
    ],
)
def test_what_can_be_no_part_of_a_rating_is_refused(
    client: Client, draft: dict[str, Any], message: str
) -> None:
    assignment = task()
    answer = post(client, assignment, draft=True, **draft)
    assert answer.status_code == 422
    (reason,) = answer.json()["refused"].values()
    assert message in reason
    assert not RatingDraft.objects.exists()


@pytest.mark.parametrize("draft", [{"draft": "yes"}, {"draft": 1}, {"draft": False}])
def test_an_invalid_draft_is_a_bad_request(client: Client, draft: dict[str, Any]) -> None:
    assert post(client, task(), **draft).status_code == 400


def test_without_javascript_save_keeps_what_is_not_finished(client: Client) -> None:
    assignment = task()
    (pk,) = factories.members(assignment)
    path = path_of(assignment, "rating-assignment")
    client.post(path, {f"answer-{pk}-0": "2", f"answer-{pk}-4": "no", "action": "save"})
    assert shown(client, assignment)["answers"] == {"fluency": 2, "clear": False}
    page = client.post(path, {f"value-{pk}": "2", f"comment-{pk}": "so", "action": "submit"})
    assert page.status_code == 422
    assert (shown(client, assignment)["choice"], shown(client, assignment)["comment"]) == (
        "2",
        "so",
    )


def test_a_rating_that_is_undone_is_stored_and_is_missing(client: Client) -> None:
    assignment = task()
    post(client, assignment, value=1, answers=ANSWERS, comment="Hm.")
    post(client, assignment, draft=True, comment="Hm.")
    entry = shown(client, assignment)
    assert (entry["choice"], entry["answers"], entry["comment"]) == ("", {}, "Hm.")
    change = RatingChange.objects.get()
    assert (change.value, change.answers) == (1, ANSWERS)
    with pytest.raises(RefusedError, match="not rated yet"):
        handing_out.submit(assignment, at=now())
    post(client, assignment, draft=True)
    post(client, assignment, value=2, answers=ANSWERS)
    assert RatingChange.objects.count() == 1, "undone once, and then rated anew"
    post(client, assignment, value=1, answers=ANSWERS)
    assert RatingChange.objects.count() == 2


def test_a_rating_is_undone_without_javascript(client: Client) -> None:
    assignment = task()
    (pk,) = factories.members(assignment)
    post(client, assignment, value=2, answers=ANSWERS)
    path = path_of(assignment, "rating-assignment")
    assert f'name="undo" value="{pk}"' in " ".join(client.get(path).content.decode().split())
    page = client.post(path, {f"value-{pk}": "2", f"answer-{pk}-0": "2", "undo": pk})
    assert page.status_code == 200 and "1 answer left to rate" in readable(page)
    assert shown(client, assignment)["choice"] == ""
    assert RatingChange.objects.get().value == 2


def test_a_submitted_task_takes_no_draft(client: Client) -> None:
    assignment = task()
    post(client, assignment, value=2, answers=ANSWERS)
    handing_out.submit(assignment, at=now())
    assert post(client, assignment, draft=True, value=3).status_code == 409
    assert not RatingDraft.objects.exists()


def test_an_erasure_removes_drafts(client: Client) -> None:
    assignment = task()
    post(client, assignment, draft=True, comment="I am Ann.")
    erase(assignment.worker.participations.get(), by=None, at=now())
    assert not RatingDraft.objects.exists()
