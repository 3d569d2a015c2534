"""Messages to the researcher: questions, appeals, withdrawals."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.timezone import now
from django.utils.translation import gettext

from annotation.rating.models import Assignment, Message, Participation
from annotation.rating.services import handing_out, participation
from annotation.rating.services.participation import MESSAGE_CHARS
from annotation.rating.views.page_guard import readable, worker_page
from annotation.rating.views.task_display import lazy_dollars
from annotation.rating.views.worker_status import assignments

Kind = Message.Kind


@worker_page("GET", "POST")
def message(request: HttpRequest, participant: Participation, token: str) -> HttpResponse:
    """The worker's messages with their answers. POST writes one, or withdraws."""
    text = readable(request.POST.get("text", ""))
    problem = ""
    if request.method == "POST":
        problem = _write(request, participant, text)
        if not problem:
            response = redirect("rating-message", token)
            response.status_code = HTTPStatus.SEE_OTHER
            return response
    context = {
        "participation": participant,
        "token": token,
        "written": participant.messages.all(),
        "text": text,
        "problem": problem,
        "max_chars": MESSAGE_CHARS,
        "withdrawing": request.POST.get("kind") == Kind.WITHDRAWAL,
        "earned": lazy_dollars(participation.earned_cents(participant)),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK
    return render(request, "annotation/rating/message.html", context, status=status)


def _write(request: HttpRequest, participant: Participation, text: str) -> str:
    """Store the message of the form; returns the problem, or an empty string."""
    kind = request.POST.get("kind", Kind.QUESTION)
    if kind == Kind.WITHDRAWAL:
        return _withdraw(participant, text, sure=bool(request.POST.get("sure")))
    if kind == Kind.APPEAL and participant.excluded_at is None:
        kind = Kind.QUESTION
    if kind not in (Kind.QUESTION, Kind.APPEAL):
        return gettext("Choose the kind of your message.")
    if _is_repeated(participant, kind, text):
        return ""
    try:
        participation.write(participant, text, kind, at=now())
    except ValueError as error:
        return str(error)
    return ""


def _withdraw(participant: Participation, text: str, *, sure: bool) -> str:
    """Leave the study, and return the tasks in progress."""
    if participant.withdrawn_at is not None:
        return ""
    if not sure:
        return gettext("Tick the box to confirm that you want to leave.")
    if len(text) > MESSAGE_CHARS:
        return participation.too_long()
    participation.withdraw(participant, text.strip(), at=now())
    for assignment in assignments(participant).filter(status=Assignment.Status.HELD):
        handing_out.return_hit(assignment)
    return ""


def _is_repeated(participant: Participation, kind: str, text: str) -> bool:
    """Whether this repeats the last message, as after a double click."""
    last = participant.messages.last()
    return last is not None and not last.answer and (last.kind, last.text) == (kind, text.strip())
