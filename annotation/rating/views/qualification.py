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
from annotation.rating.services.answer_texts import answer_text, main_answer_text
from annotation.rating.services.participation import TestAnswer
from annotation.rating.views.page_guard import worker_page
from annotation.rating.views.task_display import CandidateCard, Entry, entries_for
from annotation.rating.views.worker_status import submitted_test, worker_status
from concord.protocols import Criterion, Protocol
from concord.protocols.criteria import NUMERIC
from concord.protocols.keys import KeyedAnswer


@dataclass(frozen=True)
class GradedLine:
    """An answer with a key. `question` is that of a criterion, empty for the main question.

    expected: the correct answer; empty while it is not shown. feedback: empty for right answers.
    """

    question: str
    answer: str
    passed: bool
    expected: str
    feedback: str


@dataclass(frozen=True)
class GradedItem:
    """An item of the test with the worker's answers and feedback."""

    card: CandidateCard
    passed: bool
    feedback: str
    answers: list[GradedLine]


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
        "protocol": assignment.protocol_version.protocol,
        "worker_status": worker_status(participant),
        "retry": not result.passed and result.tries_left > 0,
        "lines": _lines(
            assignment, result.answers, with_answers=result.passed or result.tries_left == 0
        ),
    }
    return render(request, "annotation/rating/test.html", context)


def _lines(
    assignment: Assignment, answers: list[TestAnswer], *, with_answers: bool
) -> list[GradedItem]:
    """The test's answers in order.

    The correct answers are shown only when no try is left; until then the feedback says whether a
    number was too high or too low.
    """
    protocol = assignment.protocol_version.protocol
    entries = entries_for(assignment)
    lines = []
    for number, answer in enumerate(answers, start=1):
        entry = entries.get(answer.candidate.pk, Entry())
        card = CandidateCard(number, answer.candidate, entry, protocol)
        graded = [_graded(protocol, card, one, with_key=with_answers) for one in answer.graded]
        lines.append(GradedItem(card, answer.passed, _feedback(protocol, answer), graded))
    return lines


def _graded(
    protocol: Protocol, card: CandidateCard, one: KeyedAnswer, *, with_key: bool
) -> GradedLine:
    criteria = {criterion.name: criterion for criterion in protocol.criteria}
    criterion = criteria.get(one.name)
    if criterion is None:
        answer = main_answer_text(protocol, one.answer)
        key = main_answer_text(protocol, one.key)
    else:
        answer = answer_text(criterion, one.answer, card.text)
        key = answer_text(criterion, one.key, card.text)
    return GradedLine(
        criterion.question if criterion else "",
        answer,
        one.is_right,
        key if with_key and not one.is_right else "",
        "" if one.is_right else _direction(protocol, one, criterion),
    )


def _feedback(protocol: Protocol, answer: TestAnswer) -> str:
    if answer.passed:
        return gettext("Correct")
    if answer.value is None:
        return gettext("This answer can be judged")
    if len(answer.graded) == 1:
        criteria = {criterion.name: criterion for criterion in protocol.criteria}
        only = answer.graded[0]
        return _direction(protocol, only, criteria.get(only.name))
    return gettext("Not correct")


def _direction(protocol: Protocol, one: KeyedAnswer, criterion: Criterion | None) -> str:
    """How a wrong answer differs from its key, as far as that does not tell the key."""
    is_number = protocol.unit == "candidate" if criterion is None else criterion.kind in NUMERIC
    if one.answer is None or not is_number:
        return gettext("Not correct")
    return gettext("Too high") if one.answer > one.key else gettext("Too low")
