"""A worker's overview and their consent."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.timezone import now

from annotation.markdown import render as render_markdown
from annotation.rating.models import Participation
from annotation.rating.services import participation
from annotation.rating.views.door import worker_page
from annotation.rating.views.showing import choices, dollars, duration
from annotation.rating.views.standing import Standing, standing
from annotation.studies.models import Stage


@worker_page("GET", "POST")
def home(request: HttpRequest, taking_part: Participation, token: str) -> HttpResponse:
    """Where the worker stands and what they can do; POST records their consent."""
    if request.method == "POST":
        participation.consent(taking_part, at=now())
        response = redirect("rating-home", token)
        response.status_code = HTTPStatus.SEE_OTHER
        return response
    found = standing(taking_part)
    protocol = found.protocol
    full = protocol.hit.most_candidates
    shown = {
        "participation": taking_part,
        "token": token,
        "standing": found,
        "protocol": protocol,
        "choices": choices(protocol),
        "instructions": render_markdown(protocol.instructions),
        "examples": render_markdown(protocol.examples),
        "consent": render_markdown(protocol.consent),
        "most_candidates": full,
        "pay_full": dollars(protocol.pay.cents(full, full)),
        "time_limit": duration(protocol.time_limit_minutes * 60),
        "is_test": found.stage is not None and found.stage.kind == Stage.Kind.QUALIFICATION,
        "expected_right": _expected_right(found),
    }
    return render(request, "annotation/rating/home.html", shown)


def _expected_right(found: Standing) -> str:
    """What passes the test, in words: "8 of 10"; empty where there is no test."""
    rules = found.protocol.qualification
    if rules is None:
        return ""
    needed = next(
        right
        for right in range(rules.candidates + 1)
        if right / rules.candidates >= rules.pass_share - 1e-9
    )
    return f"{needed} of {rules.candidates}"
