"""The end of a worker's session: the completion code for their panel."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.timezone import now

from annotation.crowds.services import sessions
from annotation.rating.models import Participation
from annotation.rating.services.completion import completion_code
from annotation.rating.views.door import worker_page
from annotation.rating.views.standing import standing


@worker_page("GET")
def done(request: HttpRequest, taking_part: Participation, token: str) -> HttpResponse:
    """The completion code, once anything was submitted."""
    found = standing(taking_part)
    ending = sessions.session_end_of(taking_part, found.submitted)
    nothing_left = found.assignment is None and not found.tasks_left
    is_done = found.submitted and (ending is None or ending.is_reached or nothing_left)
    if is_done and ending is not None:
        sessions.end(taking_part, at=now())
    shown = {
        "participation": taking_part,
        "token": token,
        "standing": found,
        "ending": ending,
        "code": (ending.code if ending else completion_code(taking_part)) if is_done else "",
    }
    return render(request, "annotation/rating/done.html", shown)
