"""A worker's overview and consent."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.timezone import now

from annotation.markdown import render as render_markdown
from annotation.rating.models import Participation
from annotation.rating.services import participation
from annotation.rating.services.main_choices import choices
from annotation.rating.views.page_guard import worker_page
from annotation.rating.views.task_display import lazy_dollars, lazy_duration
from annotation.rating.views.worker_status import worker_status
from annotation.studies.models import Stage
from concord.protocols import Protocol


@worker_page("GET", "POST")
def home(request: HttpRequest, participant: Participation, token: str) -> HttpResponse:
    """The worker's status and next action. POST records consent."""
    if request.method == "POST":
        participation.consent(participant, at=now())
        response = redirect("rating-home", token)
        response.status_code = HTTPStatus.SEE_OTHER
        return response
    status = worker_status(participant)
    protocol = status.protocol
    max_candidates = protocol.hit.max_candidates
    is_test = status.stage is not None and status.stage.kind == Stage.Kind.QUALIFICATION
    keyed = participation.count_keyed(status.stage) if status.stage and is_test else 0
    context = {
        "participation": participant,
        "token": token,
        "worker_status": status,
        "protocol": protocol,
        "choices": choices(protocol),
        "instructions": render_markdown(protocol.instructions),
        "examples": render_markdown(protocol.examples),
        "consent": render_markdown(protocol.consent),
        "most_candidates": max_candidates,
        "pay_full": lazy_dollars(protocol.pay.cents(max_candidates, max_candidates)),
        "time_limit": lazy_duration(protocol.time_limit_minutes * 60),
        "is_test": is_test,
        "keyed": keyed,
        "needed": _needed_to_pass(protocol, keyed),
    }
    return render(request, "annotation/rating/home.html", context)


def _needed_to_pass(protocol: Protocol, keyed: int) -> int:
    """How many of `keyed` answers must be right to pass the test; 0 without a test."""
    rules = protocol.qualification
    if rules is None or not keyed:
        return 0
    return next(right for right in range(keyed + 1) if right / keyed >= rules.pass_share - 1e-9)
