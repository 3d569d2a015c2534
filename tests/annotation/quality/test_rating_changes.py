"""The changes of ratings are listed for those who may see single ratings."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.quality.services import rating_changes
from annotation.rating.models import Assignment
from annotation.rating.services import handing_out
from annotation.rating.services.rating_checks import DraftInput
from annotation.rating.services.rating_checks import RatingInput as Answer
from tests.annotation import factories

pytestmark = pytest.mark.django_db


def taken() -> Assignment:
    stage = factories.open_study()
    assignment = handing_out.hand_out(factories.worker(stage.study, "ann"), stage, at=now())
    assert assignment is not None
    return assignment


def answer(assignment: Assignment, pk: int, content: Answer | DraftInput, seconds: int) -> None:
    at = assignment.started_at + timedelta(seconds=seconds)
    factories.save_change(assignment, pk, content, made_at=at, at=at)


def test_each_change_has_its_answer_before_and_after(client: Client) -> None:
    assignment = taken()
    study = assignment.hit.stage.study
    first, second, *others = factories.members(assignment)
    answer(assignment, first, Answer(2), 1)
    answer(assignment, first, Answer(4, comment="on second thought"), 2)
    answer(assignment, first, Answer(5), 3)
    answer(assignment, second, Answer(3), 4)
    answer(assignment, second, DraftInput(), 5)
    answer(assignment, second, Answer(3), 6)
    for pk in others:
        answer(assignment, pk, Answer(1), 7)
    assert not rating_changes.stored_changes(study)
    handing_out.submit(assignment, at=now())
    rows = rating_changes.changes_of(list(rating_changes.stored_changes(study)))
    assert [(one.before.value, one.after.value, one.is_undone) for one in rows] == [
        (3, 3, True),
        (4, 5, False),
        (2, 4, False),
    ]
    assert {one.worker for one in rows} == {assignment.worker.name}
    assert [one.at for one in rows] == [
        assignment.started_at + timedelta(seconds=seconds) for seconds in (6, 3, 2)
    ]
    client.force_login(factories.owner())
    page = client.get(reverse("study-rating-changes", args=[study.slug])).content.decode()
    assert "on second thought" in page and "undone" in page and "3\n" in page
    data = client.get(reverse("study-data", args=[study.slug])).content.decode()
    assert reverse("study-rating-changes", args=[study.slug]) in data
