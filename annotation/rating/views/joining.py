"""Coming in: an invitation's link, and a preview for those who made the study."""

from __future__ import annotations

import secrets
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.timezone import now

from annotation.rating.services import invitations, participation
from annotation.rating.services.invitations import WORKER_ID_CHARS, Invitation
from annotation.rating.services.tokens import token_for
from annotation.rating.views.door import PageError, open_page, readable
from annotation.studies.models import Study

# The parameter with which a platform sends a worker, and the provider that stands for.
PARAMETERS = {"PROLIFIC_PID": "prolific", "worker": "link"}


@open_page("GET", "POST")
def join(request: HttpRequest, slug: str) -> HttpResponse:
    """Take the worker whom the address names into the study, and on to their own address.

    The same worker gets the same address at every visit. A visitor whom no parameter names gets
    a fresh id by a button, and not by the visit itself: links are also followed by programs.
    """
    study = study_of(slug)
    invited = _invited(request, study)
    if invited is None:
        shown = {"study": study, "fresh_id": secrets.token_urlsafe(16)}
        return render(request, "annotation/rating/join.html", shown)
    if request.method == "HEAD":
        return HttpResponse()
    joined = participation.join(
        study, invited.provider, invited.worker_id, at=now(), simulated=invited.simulated
    )
    response = redirect("rating-home", token_for(joined))
    response.status_code = HTTPStatus.SEE_OTHER
    return response


def study_of(slug: str) -> Study:
    """The study. Raises PageError."""
    found = Study.objects.filter(slug=readable(slug)).first()
    if found is None:
        raise PageError(404, "There is no such study", "Open the link that you were given again.")
    return found


def _invited(request: HttpRequest, study: Study) -> Invitation | None:
    """Whom the address, or the button of `join`, names; None where neither names anyone."""
    if signed := request.GET.get("invite", ""):
        return invitations.read_invitation(study, signed)
    for parameter, provider in PARAMETERS.items():
        given = request.POST.get(parameter) or request.GET.get(parameter, "")
        worker_id = readable(given).strip()
        if len(worker_id) > WORKER_ID_CHARS:
            raise PageError(
                400,
                "That worker id is too long",
                f"A worker id has at most {WORKER_ID_CHARS} characters. Open your link again.",
            )
        if worker_id:
            return Invitation(provider, worker_id)
    return None
