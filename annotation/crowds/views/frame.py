"""The pages in Mechanical Turk's frame: preview, consent, rating, submission."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.timezone import now

from annotation.crowds.models import CrowdAssignment, Listing
from annotation.crowds.services import arrivals, hosts, pages, submitted_ratings
from annotation.markdown import render as render_markdown
from annotation.rating.services import handing_out, participation
from annotation.rating.services.hit_members import members
from annotation.rating.services.languages import set_rater_language
from annotation.rating.services.main_choices import choices
from annotation.rating.services.rating_checks import CLOSED
from annotation.rating.views.language import PARAMETER, chosen_language, speak_to_rater
from annotation.rating.views.page_guard import (
    LANGUAGE_ACTION,
    RATING,
    PageError,
    open_page,
    readable,
    same_page,
)
from annotation.rating.views.saving import save
from annotation.rating.views.script_texts import script_texts
from annotation.rating.views.task import save_form, task_page
from annotation.rating.views.task_display import (
    lazy_dollars,
    lazy_duration,
    sections,
)
from annotation.rating.views.worker_status import needs_consent
from concord.protocols import Protocol
from core.refusals import RefusedError

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
Status = CrowdAssignment.Status


def policy(signed: str = "", token: str = "") -> dict[str, list[str]]:
    """Only the provider's worker pages may frame these pages and receive their form."""
    try:
        if signed:
            sites = hosts.worker_sites(pages.listing_of(signed).publication)
        else:
            sites = hosts.worker_sites(pages.crowd_assignment_of(token)[0].publication)
    except RefusedError:
        sites = hosts.ALL_SITES
    return {"frame-ancestors": sites or ["'none'"], "form-action": ["'self'", *sites]}


def show(request: HttpRequest, listing: Listing) -> HttpResponse:
    """The page MTurk opens: the preview, or the worker's task."""
    parameters = {
        name: readable(request.GET.get(name, "")).strip()
        for name in ("assignmentId", "workerId", "hitId", "turkSubmitTo")
    }
    if parameters["assignmentId"] in ("", PREVIEW):
        return _preview(request, listing)
    submit_to = hosts.submit_address(listing.publication, parameters["turkSubmitTo"])
    crowd = arrivals.arrive(
        listing,
        parameters["assignmentId"],
        parameters["workerId"],
        parameters["hitId"],
        at=now(),
    )
    set_rater_language(crowd.participation, chosen_language(request))
    return _redirect_to_task(pages.token_for(crowd, submit_to))


@open_page("GET", "POST", rate=RATING, policy=policy)
def task(request: HttpRequest, token: str) -> HttpResponse:
    """One worker's task. POST gives consent, saves or finishes, depending on `action`."""
    crowd, submit_to = pages.crowd_assignment_of(token)
    speak_to_rater(crowd.participation, request.POST.get(PARAMETER, ""))
    if request.POST.get("action") == LANGUAGE_ACTION:
        return same_page(request)
    if request.method == "POST":
        crowd = arrivals.resume(crowd, at=now())
    assignment, participant = crowd.assignment, crowd.participation
    if assignment is None or crowd.status not in arrivals.OPEN_STATES:
        return _closed(request, crowd)
    protocol = assignment.protocol_version.protocol
    action = request.POST.get("action", "")
    if request.method == "POST" and action == "agree":
        participation.consent(participant, at=now())
        return _redirect_to_task(token)
    if needs_consent(participant, protocol):
        return _welcome(request, crowd, token, protocol)
    context = {
        "crowd": crowd,
        "token": "",
        "task_url": reverse("crowd-task", args=[token]),
        "save_url": reverse("crowd-ratings", args=[token]),
        "opens_next": False,
    }
    if request.method == "POST":
        attempts = {} if request.POST.get("saved") else save_form(request, assignment)
        is_valid = not any(one.problem for one in attempts.values())
        if action == "submit" and is_valid and not handing_out.count_unrated(assignment):
            arrivals.mark_rated(crowd, at=now())
            return _redirect_to_task(token)
        return task_page(
            request, participant, "-", assignment, attempts, action=action, context_changes=context
        )
    if crowd.status == Status.RATED and "change" not in request.GET:
        return _finish(request, crowd, token, submit_to)
    return task_page(request, participant, "-", assignment, context_changes=context)


@open_page("GET", "POST", rate=RATING, as_json=True, policy=policy)
def ratings(request: HttpRequest, token: str) -> JsonResponse:
    """Save ratings as they are made, as on the pages of other workers."""
    crowd, _ = pages.crowd_assignment_of(token)
    speak_to_rater(crowd.participation)
    if request.method == "POST":
        crowd = arrivals.resume(crowd, at=now())
    if crowd.assignment is None or crowd.status not in arrivals.OPEN_STATES:
        raise PageError(409, "", str(CLOSED))
    return save(request, crowd.participation, crowd.assignment.pk)


def _preview(request: HttpRequest, listing: Listing) -> HttpResponse:
    """The task, read-only. Nothing is stored."""
    study = listing.publication.stage.study
    protocol = study.current.protocol
    assert listing.hit is not None
    candidates = members(listing.hit.pk)
    context = {
        "study": study,
        "crowd": listing,
        "protocol": protocol,
        "preview": True,
        "choices": choices(protocol),
        "instructions": render_markdown(protocol.instructions),
        "examples": render_markdown(protocol.examples),
        "sections": sections(protocol, candidates, study.seed, {}),
        "total": len(candidates),
        "rated": 0,
        "left": len(candidates),
        "pay": lazy_dollars(listing.pay_cents),
        "script_texts": script_texts(),
    }
    return render(request, "annotation/rating/task.html", context)


def _welcome(
    request: HttpRequest, crowd: CrowdAssignment, token: str, protocol: Protocol
) -> HttpResponse:
    context = {
        "participation": crowd.participation,
        "study": crowd.participation.study,
        "address": reverse("crowd-task", args=[token]),
        "consent": render_markdown(protocol.consent),
        "protocol": protocol,
        "instructions": render_markdown(protocol.instructions),
        "examples": render_markdown(protocol.examples),
        "pay": lazy_dollars(crowd.listing.pay_cents),
        "time_limit": lazy_duration(protocol.time_limit_minutes * 60),
    }
    return render(request, "annotation/crowds/welcome.html", context)


def _finish(
    request: HttpRequest, crowd: CrowdAssignment, token: str, submit_to: str
) -> HttpResponse:
    """The form that submits to MTurk. The worker's browser must post it."""
    assert crowd.assignment is not None
    context = {
        "participation": crowd.participation,
        "crowd": crowd,
        "submit_to": submit_to,
        "fields": submitted_ratings.form_fields(crowd.assignment),
        "change": reverse("crowd-task", args=[token]) + "?change=1",
    }
    return render(request, "annotation/crowds/finish.html", context)


def _closed(request: HttpRequest, crowd: CrowdAssignment) -> HttpResponse:
    context = {"participation": crowd.participation, "crowd": crowd, "Status": Status}
    return render(request, "annotation/crowds/task_closed.html", context)


def _redirect_to_task(token: str) -> HttpResponse:
    response = redirect("crowd-task", token)
    response.status_code = HTTPStatus.SEE_OTHER
    return response
