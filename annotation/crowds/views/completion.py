"""The end of a worker's session: the completion code for their panel."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.timezone import now

from annotation.crowds.services import sessions
from annotation.rating.models import Participation
from annotation.rating.views.page_guard import worker_page
from annotation.rating.views.worker_status import worker_status


@worker_page("GET", "POST")
def done(request: HttpRequest, participant: Participation, token: str) -> HttpResponse:
    """The completion code, once anything was submitted.

    A session ends with the submission of its last task. If fewer tasks are left for the worker,
    POST ends it.
    """
    status = worker_status(participant)
    session_end = sessions.session_end_of(participant, status.submitted)
    nothing_left = status.assignment is None and not status.tasks_left
    is_done = status.submitted and (session_end is None or session_end.is_reached or nothing_left)
    if is_done and request.method == "POST":
        sessions.end(participant, now())
        session_end = sessions.session_end_of(participant, status.submitted)
    must_ask = is_done and session_end is not None and not session_end.is_recorded
    context = {
        "participation": participant,
        "token": token,
        "worker_status": status,
        "session_end": session_end,
        "must_ask": must_ask,
        "code": (session_end.code if session_end else participant.completion_code)
        if is_done and not must_ask
        else "",
    }
    return render(request, "annotation/rating/done.html", context)
