"""The result of the qualification test, and the way to another try."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.timezone import now

from annotation.rating.models import Assignment, Participation
from annotation.rating.services import participation
from annotation.rating.services.participation import TestAnswer
from annotation.rating.views.door import worker_page
from annotation.rating.views.showing import Card, Given, choices, given_for
from annotation.rating.views.standing import standing, submitted_test

CANNOT_JUDGE = "cannot judge"


@dataclass(frozen=True)
class Line:
    """One answer of the test with what the worker gave and how that was off."""

    card: Card
    passed: bool
    given: str
    expected: str
    feedback: str


@worker_page("GET", "POST")
def test(request: HttpRequest, taking_part: Participation, token: str) -> HttpResponse:
    """How the test went, answer by answer; POST takes it again while tries are left."""
    if request.method == "POST":
        retried = participation.retry_test(taking_part, at=now())
        response = redirect("rating-task" if retried else "rating-test", token)
        response.status_code = HTTPStatus.SEE_OTHER
        return response
    taken = submitted_test(taking_part)
    if taken is None:
        return redirect("rating-home", token)
    result = participation.grade_test(taken)
    taking_part.refresh_from_db()
    shown = {
        "participation": taking_part,
        "token": token,
        "result": result,
        "standing": standing(taking_part),
        "retry": not result.passed and result.tries_left > 0,
        "lines": _lines(taken, result.answers, told=result.passed or result.tries_left == 0),
    }
    return render(request, "annotation/rating/test.html", shown)


def _lines(taken: Assignment, answers: list[TestAnswer], *, told: bool) -> list[Line]:
    """The test's answers in order. The right values are told only once no try is left to use
    them in; until then a wrong answer says in which direction it was off."""
    labels = {c.value: f"{c.value}: {c.label}" for c in choices(taken.protocol_version.protocol)}
    given = given_for(taken)
    lines = []
    for number, answer in enumerate(answers, start=1):
        card = Card(number, answer.candidate, given.get(answer.candidate.pk, Given()))
        value = CANNOT_JUDGE if answer.given is None else labels.get(answer.given, "")
        expected = labels.get(answer.expected, str(answer.expected)) if told else ""
        lines.append(Line(card, answer.passed, value, expected, _feedback(answer)))
    return lines


def _feedback(answer: TestAnswer) -> str:
    if answer.passed:
        return "Right"
    if answer.given is None:
        return "This one can be judged"
    return "Too high" if answer.given > answer.expected else "Too low"
