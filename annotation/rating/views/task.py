"""The task in progress: showing, taking, saving, submitting, returning it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.timezone import now
from django.utils.translation import gettext

from annotation.markdown import render as render_markdown
from annotation.rating.models import Assignment, Participation
from annotation.rating.services import handing_out, participation, session_ends
from annotation.rating.services.changes import save_change, save_draft
from annotation.rating.services.hit_members import members
from annotation.rating.services.main_choices import choices
from annotation.rating.services.questions import answers_of_form
from annotation.rating.services.rating_checks import (
    CANNOT,
    DraftInput,
    RatingInput,
    RatingRefusedError,
)
from annotation.rating.views.page_guard import PageError, readable, worker_page
from annotation.rating.views.script_texts import script_texts
from annotation.rating.views.task_display import (
    RatingEntry,
    count_rated,
    entries_for,
    lazy_dollars,
    lazy_duration,
    sections,
)
from annotation.rating.views.worker_status import (
    assignments,
    count_submitted,
    current_assignment,
    needs_consent,
    worker_status,
)
from annotation.studies.models import Stage

Status = Assignment.Status
OPEN_STATES = (Status.HELD, Status.EXPIRED)
SUBMIT, SUBMIT_AND_STOP = "submit", "submit-and-stop"


@worker_page("GET", "POST")
def task(request: HttpRequest, participant: Participation, token: str) -> HttpResponse:
    """The task in progress, or a redirect to the overview. POST takes a new task."""
    if request.method == "POST":
        _take(participant)
        return _redirect("rating-task", token)
    current = current_assignment(participant)
    if current is None or participant.withdrawn_at is not None:
        return _redirect("rating-home", token)
    before = request.GET.get("submitted", "")
    submitted = assignments(participant).filter(
        pk=int(before) if re.fullmatch(r"[0-9]{1,18}", before) else 0,
        status__in=participation.PAID,
    )
    return task_page(
        request, participant, token, current, context_changes=_submitted_before(submitted.first())
    )


def _submitted_before(assignment: Assignment | None) -> dict[str, object]:
    """The task after which the present one opened, for its page."""
    if assignment is None:
        return {}
    return {"submitted_before": assignment, "submitted_pay": lazy_dollars(assignment.pay_cents)}


@worker_page("GET", "POST")
def assignment(
    request: HttpRequest, participant: Participation, token: str, pk: int
) -> HttpResponse:
    """One task by its own URL: its form while it is open, otherwise its outcome.

    POST saves the form's ratings and submits or returns the task, depending on `action`.
    """
    task_assignment = assignment_of(participant, pk)
    if request.method == "POST":
        return _act(request, participant, token, task_assignment)
    if task_assignment.status in OPEN_STATES and participant.withdrawn_at is None:
        return task_page(request, participant, token, task_assignment)
    context = {
        "participation": participant,
        "token": token,
        "assignment": task_assignment,
        "worker_status": worker_status(participant),
        "pay": lazy_dollars(task_assignment.pay_cents),
        "Status": Status,
    }
    if (
        task_assignment.hit.stage.kind == Stage.Kind.QUALIFICATION
        and task_assignment.status == Status.SUBMITTED
    ):
        return _redirect("rating-test", token)
    return render(request, "annotation/rating/outcome.html", context)


def assignment_of(participant: Participation, pk: int) -> Assignment:
    """The worker's assignment. Raises PageError if the worker has no such assignment."""
    assignment = assignments(participant).filter(pk=pk).first()
    if assignment is None:
        raise PageError(
            404, gettext("Task not found"), gettext("Go to your overview and continue there.")
        )
    return assignment


def _take(participant: Participation) -> None:
    """Assign the worker a task. If there is none, the overview says why."""
    if needs_consent(participant, participant.study.current.protocol):
        return
    stage = participation.open_stage_for(participant)
    if stage is not None:
        handing_out.hand_out(participant.worker, stage, at=now())


def _act(
    request: HttpRequest, participant: Participation, token: str, assignment: Assignment
) -> HttpResponse:
    if participant.withdrawn_at is not None:
        raise RatingRefusedError(gettext("You have left this study. What you submitted is paid."))
    action = request.POST.get("action", "save")
    if action == "return":
        handing_out.return_hit(assignment)
        return _redirect("rating-assignment", token, assignment.pk)
    if assignment.status not in OPEN_STATES:
        return _redirect("rating-assignment", token, assignment.pk)
    # With JavaScript every rating is saved as it is made, and the form's values may be older.
    entries = {} if request.POST.get("saved") else save_form(request, assignment)
    submits = action in (SUBMIT, SUBMIT_AND_STOP)
    if submits and not any(entry.problem for entry in entries.values()):
        try:
            _submit(assignment)
            if action == SUBMIT and _opens_next(participant, assignment, done=0):
                _take(participant)
                address = reverse("rating-task", args=[token])
                return _redirect(f"{address}?submitted={assignment.pk}")
            return _redirect("rating-assignment", token, assignment.pk)
        except RatingRefusedError:
            assignment.refresh_from_db(fields=["status"])
            if assignment.status not in OPEN_STATES:
                raise
    return task_page(request, participant, token, assignment, entries, action=action)


def _opens_next(participant: Participation, assignment: Assignment, *, done: int) -> bool:
    """Whether the next task opens when this one is submitted, after `done` more submissions."""
    if assignment.hit.stage.kind == Stage.Kind.QUALIFICATION or participant.excluded_at is not None:
        return False
    stage = participation.open_stage_for(participant)
    if stage is None or not stage.hands_out:
        return False
    if not handing_out.tasks_left(participant.worker, stage):
        return False
    return not session_ends.is_complete(participant, count_submitted(participant) + done)


def _submit(assignment: Assignment) -> None:
    if assignment.hit.stage.kind == Stage.Kind.QUALIFICATION:
        participation.submit_test(assignment, at=now())
    else:
        handing_out.submit(assignment, at=now())


def save_form(request: HttpRequest, assignment: Assignment) -> dict[int, RatingEntry]:
    """Save each rating of the form, and as drafts what is not finished.

    Returns the entries that are no complete ratings; with the problem, where one was chosen.
    """
    entries: dict[int, RatingEntry] = {}
    earlier = entries_for(assignment)
    protocol = assignment.protocol_version.protocol
    fields = {name: readable(value) for name, value in request.POST.dict().items()}
    for candidate in members(assignment.hit_id):
        # With a slider, a box of its own says that the rater cannot judge.
        choice = fields.get(f"cannot-{candidate.pk}") or fields.get(f"value-{candidate.pk}", "")
        comment = fields.get(f"comment-{candidate.pk}", "")
        entry = RatingEntry(choice, comment)
        entry.answers = answers_of_form(protocol, candidate.pk, entry.value, fields)
        if not (
            choice
            or comment
            or any(answer != [] for answer in entry.answers.values())
            or candidate.pk in earlier
        ):
            continue
        at = now()
        try:
            if choice:
                value = None if choice == CANNOT else int(choice)
                rating = RatingInput(value, comment, answers=entry.answers)
                save_change(assignment, candidate.pk, rating, made_at=at, at=at)
                continue
        except RatingRefusedError as error:
            entry.problem = str(error)
        except ValueError:
            entry.choice, entry.problem = "", gettext("Choose one of the values.")
        entries[candidate.pk] = entry
        try:
            draft = DraftInput(entry.choice, comment, answers=entry.answers)
            save_draft(assignment, candidate.pk, draft, made_at=at, at=at)
        except RatingRefusedError as error:
            entry.problem = str(error)
    return entries


def task_page(
    request: HttpRequest,
    participant: Participation,
    token: str,
    assignment: Assignment,
    new_entries: dict[int, RatingEntry] | None = None,
    *,
    action: str = "",
    context_changes: Mapping[str, object] | None = None,
) -> HttpResponse:
    """The page on which a task is rated; after saving or submitting, with the problems.

    `context_changes` replaces values of the template's context for a crowd platform.
    """
    entries = entries_for(assignment) | (new_entries or {})
    candidates = members(assignment.hit_id)
    protocol = assignment.protocol_version.protocol
    if action in (SUBMIT, SUBMIT_AND_STOP):
        for candidate in candidates:
            entry = entries.setdefault(candidate.pk, RatingEntry())
            if not entry.is_rated and not entry.problem:
                entry.problem = gettext("Not rated yet.")
    parts = sections(protocol, candidates, assignment.seed, entries)
    moment = now()
    seconds_left = max(0, int((assignment.lease_until - moment).total_seconds()))
    rated_count = count_rated(parts)
    missing = [card for part in parts for card in part.cards if card.entry.problem]
    is_test = assignment.hit.stage.kind == Stage.Kind.QUALIFICATION
    # The assignment of a test sums up the pay of its tries.
    pay_cents = assignment.hit.pay_cents if is_test else assignment.pay_cents
    rules = protocol.qualification
    is_retry = is_test and assignment.retried_at is not None
    context: dict[str, Any] = {
        "participation": participant,
        "token": token,
        "task_url": reverse("rating-assignment", args=[token, assignment.pk]),
        "save_url": reverse("rating-ratings", args=[token, assignment.pk]),
        "assignment": assignment,
        "is_test": is_test,
        "is_unpaid": is_retry and rules is not None and not rules.pay_each_try,
        "protocol": protocol,
        "choices": choices(protocol),
        "instructions": render_markdown(protocol.instructions),
        "examples": render_markdown(protocol.examples),
        "sections": parts,
        "total": len(candidates),
        "rated": rated_count,
        "left": len(candidates) - rated_count,
        "missing": missing,
        "saved_form": action == "save" and not missing,
        "seconds_left": seconds_left,
        "time_left": lazy_duration(seconds_left),
        "server_time": round(moment.timestamp() * 1000),
        "pay": lazy_dollars(pay_cents),
        "earned": lazy_dollars(participation.earned_cents(participant)),
        "submitted": count_submitted(participant),
        "opens_next": _opens_next(participant, assignment, done=1),
        "script_texts": script_texts(),
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if missing else HTTPStatus.OK
    return render(
        request, "annotation/rating/task.html", context | dict(context_changes or {}), status=status
    )


def _redirect(name: str, *arguments: object) -> HttpResponse:
    """Redirect by GET, so that reloading the page sends nothing again."""
    response = redirect(name, *arguments)
    response.status_code = HTTPStatus.SEE_OTHER
    return response
