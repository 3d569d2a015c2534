"""The rating page in Mechanical Turk's frame: preview, consent, rating, the form that submits."""

from __future__ import annotations

from http import HTTPStatus

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.timezone import now

from annotation.crowds.models import CrowdAssignment, Listing
from annotation.crowds.services import answering, arrivals, hosts, pages
from annotation.crowds.services.arrivals import ArrivalRefusedError
from annotation.markdown import render as render_markdown
from annotation.rating.services import handing_out, participation
from annotation.rating.services.tokens import TokenError
from annotation.rating.views.door import PageError, open_page, readable
from annotation.rating.views.saving import saved
from annotation.rating.views.showing import choices, dollars, duration, members, sections
from annotation.rating.views.standing import needs_consent
from annotation.rating.views.task import save_form, task_page
from concord.protocols import Protocol

PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
Status = CrowdAssignment.Status


def policy(signed: str = "", token: str = "") -> dict[str, list[str]]:
    """Only the provider's worker pages may frame these pages and take their form."""
    try:
        if signed:
            sites = hosts.worker_sites(pages.listing_of(signed).publication)
        else:
            sites = hosts.worker_sites(pages.crowd_assignment_of(token)[0].publication)
    except TokenError:
        sites = hosts.ALL_SITES
    return {"frame-ancestors": sites or ["'none'"], "form-action": ["'self'", *sites]}


def show(request: HttpRequest, listing: Listing) -> HttpResponse:
    """What MTurk opens: the preview, or the worker's own task."""
    given = {
        name: readable(request.GET.get(name, "")).strip()
        for name in ("assignmentId", "workerId", "hitId", "turkSubmitTo")
    }
    if given["assignmentId"] in ("", PREVIEW):
        return _preview(request, listing)
    if request.method == "HEAD":
        return HttpResponse()
    try:
        submit_to = hosts.submit_address(listing.publication, given["turkSubmitTo"])
        crowd = arrivals.arrive(
            listing, given["assignmentId"], given["workerId"], given["hitId"], at=now()
        )
    except ArrivalRefusedError as error:
        raise PageError(409, "This task cannot be opened", str(error)) from error
    return _see(pages.token_for(crowd, submit_to))


@open_page("GET", "POST", policy=policy)
def task(request: HttpRequest, token: str) -> HttpResponse:
    """One worker's task; POST agrees, saves, or finishes, as `action` says."""
    crowd, submit_to = pages.crowd_assignment_of(token)
    if request.method == "POST":
        crowd = arrivals.resume(crowd, at=now())
    mine, taking_part = crowd.assignment, crowd.participation
    if mine is None or crowd.status not in arrivals.OPEN:
        return _over(request, crowd)
    protocol = mine.protocol_version.protocol
    action = request.POST.get("action", "")
    if request.method == "POST" and action == "agree":
        participation.consent(taking_part, at=now())
        return _see(token)
    if needs_consent(taking_part, protocol):
        return _welcome(request, crowd, token, protocol)
    more = {
        "crowd": crowd,
        "token": "",
        "task_url": reverse("crowd-task", args=[token]),
        "save_url": reverse("crowd-ratings", args=[token]),
    }
    if request.method == "POST":
        tried = {} if request.POST.get("saved") else save_form(request, mine)
        is_whole = not any(one.problem for one in tried.values())
        if action == "submit" and is_whole and not handing_out.unrated(mine):
            arrivals.rated_here(crowd, at=now())
            return _see(token)
        return task_page(request, taking_part, "-", mine, tried, asked=action, more=more)
    if crowd.status == Status.RATED and "change" not in request.GET:
        return _finish(request, crowd, token, submit_to)
    return task_page(request, taking_part, "-", mine, more=more)


@open_page("GET", "POST", as_json=True, policy=policy)
def ratings(request: HttpRequest, token: str) -> JsonResponse:
    """Ratings saved as they are made, as on the pages of other workers."""
    crowd, _ = pages.crowd_assignment_of(token)
    if request.method == "POST":
        crowd = arrivals.resume(crowd, at=now())
    if crowd.assignment is None or crowd.status not in arrivals.OPEN:
        raise PageError(409, "", "This task was submitted or returned; it stays as it is.")
    return saved(request, crowd.participation, crowd.assignment)


def _preview(request: HttpRequest, listing: Listing) -> HttpResponse:
    """The task as it will be, read-only: nothing is created, nothing kept."""
    study = listing.publication.stage.study
    protocol = study.current.protocol
    assert listing.hit is not None
    candidates = members(listing.hit.pk)
    shown = {
        "study": study,
        "crowd": listing,
        "protocol": protocol,
        "preview": True,
        "choices": choices(protocol),
        "instructions": render_markdown(protocol.instructions),
        "examples": render_markdown(protocol.examples),
        "sections": sections(candidates, study.seed, {}),
        "total": len(candidates),
        "rated": 0,
        "left": len(candidates),
        "pay": dollars(listing.pay_cents),
    }
    return render(request, "annotation/rating/task.html", shown)


def _welcome(
    request: HttpRequest, crowd: CrowdAssignment, token: str, protocol: Protocol
) -> HttpResponse:
    shown = {
        "participation": crowd.participation,
        "study": crowd.participation.study,
        "address": reverse("crowd-task", args=[token]),
        "consent": render_markdown(protocol.consent),
        "protocol": protocol,
        "instructions": render_markdown(protocol.instructions),
        "examples": render_markdown(protocol.examples),
        "pay": dollars(crowd.listing.pay_cents),
        "time_limit": duration(protocol.time_limit_minutes * 60),
    }
    return render(request, "annotation/crowds/welcome.html", shown)


def _finish(
    request: HttpRequest, crowd: CrowdAssignment, token: str, submit_to: str
) -> HttpResponse:
    """The form that MTurk takes as the submission. It is posted by the browser, since only that
    is the worker's own."""
    assert crowd.assignment is not None
    shown = {
        "participation": crowd.participation,
        "crowd": crowd,
        "submit_to": submit_to,
        "fields": answering.fields_of(crowd.assignment),
        "change": reverse("crowd-task", args=[token]) + "?change=1",
    }
    return render(request, "annotation/crowds/finish.html", shown)


def _over(request: HttpRequest, crowd: CrowdAssignment) -> HttpResponse:
    shown = {"participation": crowd.participation, "crowd": crowd, "Status": Status}
    return render(request, "annotation/crowds/over.html", shown)


def _see(token: str) -> HttpResponse:
    response = redirect("crowd-task", token)
    response.status_code = HTTPStatus.SEE_OTHER
    return response
