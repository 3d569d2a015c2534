"""The result of the qualification test, and a retry."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.timezone import now
from django.utils.translation import gettext

from annotation.rating.models import Assignment, Participation
from annotation.rating.services import participation
from annotation.rating.services.participation import TestAnswer
from annotation.rating.views.page_guard import worker_page
from annotation.rating.views.task_display import Card, RatingEntry, choices, entries_for
from annotation.rating.views.worker_status import submitted_test, worker_status


@dataclass(frozen=True)
class Line:
    """An answer of the test with the worker's rating and feedback."""

    card: Card
    passed: bool
    choice: str
    expected: str
    feedback: str


@worker_page("GET", "POST")
def test(request: HttpRequest, participant: Participation, token: str) -> HttpResponse:
    """The result of the test, by answer. POST takes it again while tries are left."""
    if request.method == "POST":
        retried = participation.retry_test(participant, at=now())
        response = redirect("rating-task" if retried else "rating-test", token)
        response.status_code = HTTPStatus.SEE_OTHER
        return response
    assignment = submitted_test(participant)
    if assignment is None:
        return redirect("rating-home", token)
    result = participation.grade_test(assignment)
    participant.refresh_from_db()
    context = {
        "participation": participant,
        "token": token,
        "result": result,
        "worker_status": worker_status(participant),
        "retry": not result.passed and result.tries_left > 0,
        "lines": _lines(
            assignment, result.answers, with_answers=result.passed or result.tries_left == 0
        ),
    }
    return render(request, "annotation/rating/test.html", context)


def _lines(assignment: Assignment, answers: list[TestAnswer], *, with_answers: bool) -> list[Line]:
    """The test's answers in order.

    The correct ratings are shown only when no try is left; until then the feedback says whether a
    rating was too high or too low.
    """
    protocol = assignment.protocol_version.protocol
    labels = {c.value: f"{c.value}: {c.label}" for c in choices(protocol)}
    entries = entries_for(assignment)
    lines = []
    for number, answer in enumerate(answers, start=1):
        entry = entries.get(answer.candidate.pk, RatingEntry())
        card = Card(number, answer.candidate, entry, protocol)
        value = gettext("cannot judge") if answer.value is None else labels.get(answer.value, "")
        expected = labels.get(answer.expected, str(answer.expected)) if with_answers else ""
        lines.append(Line(card, answer.passed, value, expected, _feedback(answer)))
    return lines


def _feedback(answer: TestAnswer) -> str:
    if answer.passed:
        return gettext("Correct")
    if answer.value is None:
        return gettext("This answer can be judged")
    return gettext("Too high") if answer.value > answer.expected else gettext("Too low")
