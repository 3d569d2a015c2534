"""The task in a worker's hands: shown, taken, saved as a form, submitted, given back."""

from __future__ import annotations

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.timezone import now

from annotation.markdown import render as render_markdown
from annotation.rating.models import Assignment, Participation
from annotation.rating.services import handing_out, participation
from annotation.rating.services.changes import save_change
from annotation.rating.services.handing_out import RatingInput, RatingRefusedError
from annotation.rating.views.door import PageError, readable, worker_page
from annotation.rating.views.showing import (
    CANNOT,
    Given,
    choices,
    dollars,
    duration,
    given_for,
    members,
    rated,
    sections,
)
from annotation.rating.views.standing import (
    assignments,
    current_assignment,
    needs_consent,
    standing,
)
from annotation.studies.models import Stage

Status = Assignment.Status
OPEN = (Status.HELD, Status.EXPIRED)


@worker_page("GET", "POST")
def task(request: HttpRequest, taking_part: Participation, token: str) -> HttpResponse:
    """The task in hand, or the overview where there is none. POST takes a new one."""
    if request.method == "POST":
        _take(taking_part)
        return _see("rating-task", token)
    current = current_assignment(taking_part)
    if current is None or taking_part.withdrawn_at is not None:
        return _see("rating-home", token)
    return task_page(request, taking_part, token, current)


@worker_page("GET", "POST")
def assignment(
    request: HttpRequest, taking_part: Participation, token: str, pk: int
) -> HttpResponse:
    """One task, by its own address: open ones to be rated, others with their outcome.

    POST saves the form's ratings and, as `action` says, submits the task or gives it back.
    """
    mine = assignment_of(taking_part, pk)
    if request.method == "POST":
        return _act(request, taking_part, token, mine)
    if mine.status in OPEN and taking_part.withdrawn_at is None:
        return task_page(request, taking_part, token, mine)
    shown = {
        "participation": taking_part,
        "token": token,
        "assignment": mine,
        "standing": standing(taking_part),
        "pay": dollars(mine.pay_cents),
        "Status": Status,
    }
    if mine.hit.stage.kind == Stage.Kind.QUALIFICATION and mine.status == Status.SUBMITTED:
        return _see("rating-test", token)
    return render(request, "annotation/rating/outcome.html", shown)


def assignment_of(taking_part: Participation, pk: int) -> Assignment:
    """The worker's own assignment; another's is not there for them. Raises PageError."""
    found = assignments(taking_part).filter(pk=pk).first()
    if found is None:
        raise PageError(404, "There is no such task", "Go to your overview and continue there.")
    return found


def _take(taking_part: Participation) -> None:
    """Hand the worker a task; where none can be had, the overview says why."""
    if needs_consent(taking_part, taking_part.study.current.protocol):
        return
    stage = participation.open_stage_for(taking_part)
    if stage is not None:
        handing_out.hand_out(taking_part.worker, stage, at=now())


def _act(
    request: HttpRequest, taking_part: Participation, token: str, mine: Assignment
) -> HttpResponse:
    if taking_part.withdrawn_at is not None:
        raise RatingRefusedError("You have left this study. What you submitted is paid.")
    action = request.POST.get("action", "save")
    if action == "return":
        handing_out.give_back(mine)
        return _see("rating-assignment", token, mine.pk)
    if mine.status not in OPEN:
        return _see("rating-assignment", token, mine.pk)
    # With script, every rating was saved as it was made, and the form's may be older.
    tried = {} if request.POST.get("saved") else save_form(request, mine)
    if action == "submit" and not any(given.problem for given in tried.values()):
        try:
            _submit(mine)
            return _see("rating-assignment", token, mine.pk)
        except RatingRefusedError:
            mine.refresh_from_db(fields=["status"])
            if mine.status not in OPEN:
                raise
    return task_page(request, taking_part, token, mine, tried, asked=action)


def _submit(mine: Assignment) -> None:
    if mine.hit.stage.kind == Stage.Kind.QUALIFICATION:
        participation.submit_test(mine, at=now())
    else:
        handing_out.submit(mine, at=now())


def save_form(request: HttpRequest, mine: Assignment) -> dict[int, Given]:
    """Save each rating that the form holds; what was given, with what was wrong with it."""
    tried: dict[int, Given] = {}
    for candidate in members(mine.hit_id):
        choice = request.POST.get(f"value-{candidate.pk}", "")
        comment = readable(request.POST.get(f"comment-{candidate.pk}", ""))
        if not choice:
            if comment:
                tried[candidate.pk] = Given("", comment)
            continue
        at = now()
        try:
            value = None if choice == CANNOT else int(choice)
            save_change(mine, candidate.pk, RatingInput(value, comment), made_at=at, at=at)
        except RatingRefusedError as error:
            tried[candidate.pk] = Given(choice, comment, problem=str(error))
        except ValueError:
            tried[candidate.pk] = Given("", comment, problem="Choose one of the values.")
    return tried


def task_page(
    request: HttpRequest,
    taking_part: Participation,
    token: str,
    mine: Assignment,
    tried: dict[int, Given] | None = None,
    *,
    asked: str = "",
    more: Mapping[str, object] | None = None,
) -> HttpResponse:
    """The page on which a task is rated; after a try to save or submit, with what is missing.

    `more` says what is otherwise where a platform shows it.
    """
    given = given_for(mine) | (tried or {})
    candidates = members(mine.hit_id)
    if asked == "submit":
        for candidate in candidates:
            one = given.setdefault(candidate.pk, Given())
            if one.made_at is None and not one.problem:
                one.problem = "Not rated yet."
    parts = sections(candidates, mine.seed, given)
    protocol = mine.protocol_version.protocol
    moment = now()
    seconds_left = max(0, int((mine.lease_until - moment).total_seconds()))
    done = rated(parts)
    missing = [card for part in parts for card in part.cards if card.given.problem]
    shown: dict[str, Any] = {
        "participation": taking_part,
        "token": token,
        "task_url": reverse("rating-assignment", args=[token, mine.pk]),
        "save_url": reverse("rating-ratings", args=[token, mine.pk]),
        "assignment": mine,
        "is_test": mine.hit.stage.kind == Stage.Kind.QUALIFICATION,
        "protocol": protocol,
        "choices": choices(protocol),
        "instructions": render_markdown(protocol.instructions),
        "examples": render_markdown(protocol.examples),
        "sections": parts,
        "total": len(candidates),
        "rated": done,
        "left": len(candidates) - done,
        "missing": missing,
        "saved_form": asked == "save" and not missing,
        "seconds_left": seconds_left,
        "time_left": duration(seconds_left),
        "server_time": round(moment.timestamp() * 1000),
        "pay": dollars(mine.pay_cents),
        "earned": dollars(participation.earned_cents(taking_part)),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if missing else HTTPStatus.OK
    return render(request, "annotation/rating/task.html", shown | dict(more or {}), status=status)


def _see(name: str, *arguments: object) -> HttpResponse:
    """Send the browser on by GET, so that a reload sends nothing twice."""
    response = redirect(name, *arguments)
    response.status_code = HTTPStatus.SEE_OTHER
    return response
