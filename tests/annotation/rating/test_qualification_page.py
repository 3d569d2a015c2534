"""The test's result: what was off, which tries are left, and that trying again is one try."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse
from django.utils.timezone import now

from annotation.rating.models import Assignment, Participation, Rating, RatingChange
from annotation.rating.services import participation
from annotation.setup.services.study_creation import change_protocol
from annotation.stages.services.stage_figures import stages_progress
from tests.annotation.rating.scenes import Scene, consent, right_values, take

Qualified = Participation.Qualified


@pytest.fixture
def assignment(scene: Scene, rater: Client) -> Assignment:
    consent(scene)
    return take(rater, scene.token)


def submit(rater: Client, scene: Scene, assignment: Assignment, wrong: int) -> str:
    path = reverse("rating-assignment", args=[scene.token, assignment.pk])
    response = rater.post(path, right_values(assignment, wrong), follow=True)
    assert response.redirect_chain[-1][0] == reverse("rating-test", args=[scene.token])
    return response.content.decode()


def test_passing_opens_the_study(scene: Scene, rater: Client, assignment: Assignment) -> None:
    page = submit(rater, scene, assignment, wrong=1)
    assert "You passed the test" in page and "You rated 3 of 4 correctly" in page
    assert "Correct rating" in page  # of the one that was off
    assert take(rater, scene.token).hit.stage.kind == "full"


def test_a_failed_attempt_shows_mistakes_but_not_the_correct_ratings(
    scene: Scene, rater: Client, assignment: Assignment
) -> None:
    page = submit(rater, scene, assignment, wrong=2)
    assert "You did not pass" in page and "You rated 2 of 4 correctly" in page
    assert "Too low" in page and "Too high" in page and "1 try left" in page
    assert "Correct rating" not in page


def test_the_last_failed_attempt_shows_the_correct_ratings_and_is_paid(
    scene: Scene, rater: Client, assignment: Assignment
) -> None:
    submit(rater, scene, assignment, wrong=2)
    response = rater.post(reverse("rating-test", args=[scene.token]))
    assert response["Location"] == reverse("rating-task", args=[scene.token])
    page = submit(rater, scene, assignment, wrong=3)
    assert "You have no tries left" in page and "Correct rating" in page and "Try again" not in page
    scene.worker.refresh_from_db()
    assert scene.worker.qualified == Qualified.FAILED
    assert (
        "have no tries left"
        in rater.get(reverse("rating-home", args=[scene.token])).content.decode()
    )
    # Pressing the button of an old page takes no third try.
    again = rater.post(reverse("rating-test", args=[scene.token]))
    assert again["Location"] == reverse("rating-test", args=[scene.token])
    assignment.refresh_from_db()
    assert assignment.status == Assignment.Status.SUBMITTED


def test_viewing_and_posting_again_use_up_no_attempt(
    scene: Scene, rater: Client, assignment: Assignment
) -> None:
    submit(rater, scene, assignment, wrong=4)
    submit(rater, scene, assignment, wrong=4)
    for _ in range(3):
        page = rater.get(reverse("rating-test", args=[scene.token])).content.decode()
    assert "1 try left" in page
    scene.worker.refresh_from_db()
    assert scene.worker.tries == 1


def test_cannot_judge_is_marked_where_the_answer_can_be_judged(
    scene: Scene, rater: Client, assignment: Assignment
) -> None:
    values = right_values(assignment)
    for key in [k for k in values if k.startswith("value-")][:2]:
        values |= {key: "cannot", key.replace("value", "comment"): "no idea"}
    path = reverse("rating-assignment", args=[scene.token, assignment.pk])
    page = rater.post(path, values, follow=True).content.decode()
    assert "This answer can be judged" in page


def test_without_a_submitted_test_there_is_no_result(
    scene: Scene, rater: Client, assignment: Assignment
) -> None:
    response = rater.get(reverse("rating-test", args=[scene.token]))
    assert response["Location"] == reverse("rating-home", args=[scene.token])


def test_the_page_of_a_test_has_no_return_button(
    scene: Scene, rater: Client, assignment: Assignment
) -> None:
    page = rater.get(reverse("rating-task", args=[scene.token])).content.decode()
    assert "Return this task" not in page and "Test:" in page


def pay_each_try(scene: Scene) -> None:
    protocol = scene.study.current.protocol
    assert protocol.qualification is not None
    rules = replace(protocol.qualification, pay_each_try=True)
    change_protocol(scene.study, replace(protocol, qualification=rules), at=now())


@pytest.mark.parametrize("each", [False, True])
def test_only_the_first_try_is_paid_unless_the_protocol_says_so(
    scene: Scene, rater: Client, each: bool
) -> None:
    if each:
        pay_each_try(scene)
    consent(scene)
    home = rater.get(reverse("rating-home", args=[scene.token])).content.decode()
    assert ("Each try is paid like a task." in home) is each
    assert ("Another try is not paid." in home) is not each
    assignment = take(rater, scene.token)
    page = submit(rater, scene, assignment, wrong=2)
    assert ("Another try is not paid." in page) is not each
    rater.post(reverse("rating-test", args=[scene.token]))
    page = rater.get(reverse("rating-task", args=[scene.token])).content.decode()
    assert ("This try is not paid." in page) is not each
    [figures, *_] = stages_progress(scene.study)
    assert figures.earned_cents == assignment.pay_cents, (
        "the first try stays paid during the second"
    )
    submit(rater, scene, assignment, wrong=0)
    pay = (2 if each else 1) * assignment.pay_cents
    assert participation.earned_cents(scene.worker) == pay
    [figures, *_] = stages_progress(scene.study)
    assert (figures.tests, figures.passed, figures.failed) == (2, 1, 1)
    assert figures.earned_cents == pay


def test_another_try_begins_without_answers_and_cannot_be_submitted_so(
    scene: Scene, rater: Client, assignment: Assignment
) -> None:
    page = submit(rater, scene, assignment, wrong=2)
    failed = list(Rating.objects.order_by("pk").values_list("value", flat=True))
    rater.post(reverse("rating-test", args=[scene.token]))
    page = rater.get(reverse("rating-task", args=[scene.token])).content.decode()
    assert "checked" not in page.partition("<article")[2].partition('class="bar"')[0]
    path = reverse("rating-assignment", args=[scene.token, assignment.pk])
    for form in ({"action": "submit"}, {"action": "submit", "saved": 1}):
        answer = rater.post(path, form)
        assert answer.status_code == 422
        assert "4 answers need a rating" in answer.content.decode()
    saved = rater.get(reverse("rating-ratings", args=[scene.token, assignment.pk])).json()
    assert saved["ratings"] == {}
    scene.worker.refresh_from_db()
    assert scene.worker.tries == 1
    # The same answers, given again, are answers of this try.
    submit(rater, scene, assignment, wrong=2)
    scene.worker.refresh_from_db()
    assert scene.worker.tries == 2 and scene.worker.qualified == Qualified.FAILED
    assert list(Rating.objects.order_by("pk").values_list("value", flat=True)) == failed


def test_the_failed_answers_are_kept_as_earlier_values(
    scene: Scene, rater: Client, assignment: Assignment
) -> None:
    submit(rater, scene, assignment, wrong=2)
    rater.post(reverse("rating-test", args=[scene.token]))
    page = submit(rater, scene, assignment, wrong=0)
    assert "You passed the test" in page
    assert RatingChange.objects.count() == 2
