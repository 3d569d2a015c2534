"""Joining a study by an invitation link."""

from __future__ import annotations

import secrets
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.timezone import now
from django.utils.translation import gettext

from annotation.rating.models import Participation, Worker
from annotation.rating.services import invitations, participation, session_ends
from annotation.rating.services.invitations import WORKER_ID_CHARS, InvitedWorker
from annotation.rating.services.languages import set_rater_language
from annotation.rating.services.tokens import participation_of, token_for
from annotation.rating.views.browsers import remember, remembered
from annotation.rating.views.language import chosen_language, speak_to_visitor
from annotation.rating.views.page_guard import PageError, open_page, readable
from annotation.studies.models import Stage, Study
from core.refusals import RefusedError

# The URL parameter with the name of a worker of the open link, and their provider.
PARAMETER, PROVIDER = "worker", "link"


@open_page("GET", "POST", rate="joining")
def join(request: HttpRequest, slug: str) -> HttpResponse:
    """Add the worker in the link to the study, and redirect to the worker's page.

    The same worker always gets the same page. A visitor without an id gets a new one by a button,
    not by the visit itself, because programs follow links too. Who got one in this browser before
    continues, unless they say that they are another person.
    """
    study = study_of(slug)
    speak_to_visitor(request, study)
    invited = _invited(request, study)
    earlier = _joined_in_this_browser(request, study) if invited is None else None
    if earlier is not None and request.method == "POST":
        return _to_page_of(request, earlier)
    if earlier is None and participation.is_over(study) and not _takes_part(study, invited):
        raise PageError(
            410,
            gettext("This study is over"),
            gettext("It takes no more raters. Thank you for your interest."),
        )
    if invited is None:
        context = {
            "study": study,
            "fresh_id": secrets.token_urlsafe(16),
            "has_joined": earlier is not None,
            "is_open": study.stages.filter(status=Stage.Status.OPEN).exists(),
        }
        return render(request, "annotation/rating/join.html", context)
    if request.method == "HEAD":
        return HttpResponse()
    participant = participation.join(
        study, invited.provider, invited.worker_id, at=now(), simulated=invited.simulated
    )
    if request.GET.get("invite") and not invited.simulated:
        session_ends.begin(participant, at=now())
    response = _to_page_of(request, participant)
    if request.POST.get(PARAMETER) and not request.GET.get("invite"):  # by the button
        remember(response, _cookie(study), token_for(participant))
    return response


def _to_page_of(request: HttpRequest, participant: Participation) -> HttpResponse:
    set_rater_language(participant, chosen_language(request))
    response = redirect("rating-home", token_for(participant))
    response.status_code = HTTPStatus.SEE_OTHER
    return response


def _cookie(study: Study) -> str:
    return f"rater-of-study-{study.pk}"


def _joined_in_this_browser(request: HttpRequest, study: Study) -> Participation | None:
    """The participation of who joined by the open link in this browser; None if nobody did, or if
    their data was removed."""
    token = remembered(request, _cookie(study))
    try:
        return participation_of(token) if token else None
    except RefusedError:
        return None


def study_of(slug: str) -> Study:
    """The study. Raises PageError."""
    study = Study.objects.filter(slug=readable(slug)).first()
    if study is None:
        raise PageError(
            404,
            gettext("Study not found"),
            gettext("Check the link that you received, and open it again."),
        )
    return study


def _takes_part(study: Study, invited: InvitedWorker | None) -> bool:
    """Whether the invited worker joined the study before."""
    if invited is None:
        return False
    workers = Worker.objects.known_as(invited.provider, invited.worker_id)
    return workers.filter(study=study).exists()


def _invited(request: HttpRequest, study: Study) -> InvitedWorker | None:
    """The worker named by the link or by the button of `join`; None if there is none."""
    if signed := request.GET.get("invite", ""):
        return invitations.read_invitation(study, signed)
    if study.needs_signed_links:
        raise PageError(
            403,
            gettext("This study needs a personal link"),
            gettext("Open the link that the researcher sent to you, or ask for one."),
        )
    value = request.POST.get(PARAMETER) or request.GET.get(PARAMETER, "")
    worker_id = readable(value).strip()
    if len(worker_id) > WORKER_ID_CHARS:
        raise PageError(
            400,
            gettext("Worker id too long"),
            gettext("A worker id may have at most %(limit)s characters. Open your link again.")
            % {"limit": WORKER_ID_CHARS},
        )
    return InvitedWorker(PROVIDER, worker_id) if worker_id else None
