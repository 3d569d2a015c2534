"""Writing to the researcher: a question, an appeal, a withdrawal."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.timezone import now

from annotation.rating.models import Assignment, Message, Participation
from annotation.rating.services import handing_out, participation
from annotation.rating.services.participation import MESSAGE_CHARS
from annotation.rating.views.door import readable, worker_page
from annotation.rating.views.showing import dollars
from annotation.rating.views.standing import assignments

Kind = Message.Kind


@worker_page("GET", "POST")
def message(request: HttpRequest, taking_part: Participation, token: str) -> HttpResponse:
    """The worker's messages with their answers; POST writes one, or withdraws."""
    text = readable(request.POST.get("text", ""))
    problem = ""
    if request.method == "POST":
        problem = _write(request, taking_part, text)
        if not problem:
            response = redirect("rating-message", token)
            response.status_code = HTTPStatus.SEE_OTHER
            return response
    shown = {
        "participation": taking_part,
        "token": token,
        "written": taking_part.messages.all(),
        "text": text,
        "problem": problem,
        "most": MESSAGE_CHARS,
        "withdrawing": request.POST.get("kind") == Kind.WITHDRAWAL,
        "earned": dollars(participation.earned_cents(taking_part)),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if problem else HTTPStatus.OK
    return render(request, "annotation/rating/message.html", shown, status=status)


def _write(request: HttpRequest, taking_part: Participation, text: str) -> str:
    """Send what was written; what is wrong with it, or nothing."""
    kind = request.POST.get("kind", Kind.QUESTION)
    if kind == Kind.WITHDRAWAL:
        return _withdraw(taking_part, text, sure=bool(request.POST.get("sure")))
    if kind == Kind.APPEAL and taking_part.excluded_at is None:
        kind = Kind.QUESTION
    if kind not in (Kind.QUESTION, Kind.APPEAL):
        return "Choose what your message is."
    if _said_already(taking_part, kind, text):
        return ""
    try:
        participation.write(taking_part, text, kind, at=now())
    except ValueError as error:
        return str(error)
    return ""


def _withdraw(taking_part: Participation, text: str, *, sure: bool) -> str:
    """Leave the study, and give back what is held so that others can have it."""
    if taking_part.withdrawn_at is not None:
        return ""
    if not sure:
        return "Tick the box to say that you want to leave."
    if len(text) > MESSAGE_CHARS:
        return f"A message has at most {MESSAGE_CHARS:,} characters."
    participation.withdraw(taking_part, text.strip(), at=now())
    for held in assignments(taking_part).filter(status=Assignment.Status.HELD):
        handing_out.give_back(held)
    return ""


def _said_already(taking_part: Participation, kind: str, text: str) -> bool:
    """Whether this is the last message once more: a button pressed twice."""
    last = taking_part.messages.last()
    return last is not None and not last.answer and (last.kind, last.text) == (kind, text.strip())
