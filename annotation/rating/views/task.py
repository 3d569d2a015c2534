"""The task in progress: showing, taking, saving, submitting, returning it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from http import HTTPStatus

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.timezone import now
from django.utils.translation import gettext

from annotation.markdown import render as render_markdown
from annotation.rating.models import Assignment, Participation
from annotation.rating.services import handing_out, participation, session_ends
from annotation.rating.services.changes import LockedTask, locked
from annotation.rating.services.hit_members import members
from annotation.rating.services.main_choices import choices
from annotation.rating.services.questions import answers_of_form
from annotation.rating.services.rating_checks import CANNOT, Answer
from annotation.rating.views.page_guard import PageError, readable, worker_page
from annotation.rating.views.script_texts import script_texts
from annotation.rating.views.task_display import (
    OPEN,
    Entry,
    count_rated,
    entries_for,
    entries_of,
    lazy_dollars,
    lazy_duration,
    sections,
)
from annotation.rating.views.worker_status import (
    current_assignment,
    find_assignment,
    needs_consent,
    worker_status,
)
from annotation.studies.models import Stage
from concord.protocols import Protocol
from concord.protocols.criteria import whole_number
from core.pages.queries import row_number
from core.refusals import RefusedError

Status = Assignment.Status
SUBMIT, SUBMIT_AND_STOP = "submit", "submit-and-stop"


@worker_page("GET", "POST")
def task(request: HttpRequest, participant: Participation, token: str) -> HttpResponse:
    """The task in progress, or a redirect to the overview. POST takes a new task."""
    if request.method == "POST":
        protocol = participant.study.current.protocol
        stage = participation.open_stage_for(participant, protocol)
        # If there is no task, the overview says why.
        if stage is not None and not needs_consent(participant, protocol):
            handing_out.hand_out(participant.worker, stage, at=now())
        return _redirect("rating-task", token)
    current = current_assignment(participant)
    if current is None or participant.withdrawn_at is not None:
        return _redirect("rating-home", token)
    return task_page(
        request,
        participant,
        token,
        current,
        context_changes=_submitted_before(participant, request.GET.get("submitted", "")),
    )


def _submitted_before(participant: Participation, pk: str) -> dict[str, object]:
    """The task after which the present one opened, for its page."""
    number = row_number(pk)
    assignment = None if number is None else find_assignment(participant, number)
    if assignment is None or assignment.status not in participation.PAID:
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
    if task_assignment.status in Assignment.OPEN and participant.withdrawn_at is None:
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
    assignment = find_assignment(participant, pk)
    if assignment is None:
        raise no_such_task()
    return assignment


def no_such_task() -> PageError:
    return PageError(
        404, gettext("Task not found"), gettext("Go to your overview and continue there.")
    )


def _act(
    request: HttpRequest, participant: Participation, token: str, assignment: Assignment
) -> HttpResponse:
    if participant.withdrawn_at is not None:
        raise RefusedError(
            gettext("You have left this study. What you submitted is paid."), "rating-refused"
        )
    action = request.POST.get("action", "save")
    if action == "return":
        handing_out.return_hit(assignment)
        return _redirect("rating-assignment", token, assignment.pk)
    if assignment.status not in Assignment.OPEN:
        return _redirect("rating-assignment", token, assignment.pk)
    # With JavaScript every rating is saved as it is made, and the form's values may be older.
    entries = {} if request.POST.get("saved") else save_form(request, assignment)
    submits = action in (SUBMIT, SUBMIT_AND_STOP)
    if submits and not any(entry.problem for entry in entries.values()):
        try:
            _submit(assignment)
            session_ends.end_if_reached(participant, at=now())
            if action == SUBMIT and _open_next(participant, assignment):
                address = reverse("rating-task", args=[token])
                return _redirect(f"{address}?submitted={assignment.pk}")
            return _redirect("rating-assignment", token, assignment.pk)
        except RefusedError:
            assignment.refresh_from_db(fields=["status"])
            if assignment.status not in Assignment.OPEN:
                raise
    return task_page(request, participant, token, assignment, entries, action=action)


def _open_next(participant: Participation, assignment: Assignment) -> bool:
    """Assign the worker the task that follows a submitted one, if it opens by itself and there is
    one."""
    protocol = participant.study.current.protocol
    stage = _next_stage(participant, protocol, assignment, done=0)
    return stage is not None and (
        needs_consent(participant, protocol)  # for which the overview asks
        or handing_out.hand_out(participant.worker, stage, at=now()) is not None
    )


def _next_stage(
    participant: Participation, protocol: Protocol, assignment: Assignment, *, done: int
) -> Stage | None:
    """The stage whose next task opens when this one is submitted, after `done` more submissions."""
    if assignment.hit.stage.kind == Stage.Kind.QUALIFICATION or participant.excluded_at is not None:
        return None
    stage = participation.open_stage_for(participant, protocol)
    if stage is None or not stage.hands_out:
        return None
    tasks = session_ends.tasks_of(participant)
    if tasks is not None and participation.totals(participant).submitted + done >= tasks:
        return None
    return stage


def _submit(assignment: Assignment) -> None:
    if assignment.hit.stage.kind == Stage.Kind.QUALIFICATION:
        participation.submit_test(assignment, at=now())
    else:
        handing_out.submit(assignment, at=now())


def save_form(request: HttpRequest, assignment: Assignment) -> dict[int, Entry]:
    """Save each rating of the form, and as drafts what is not finished. The one that `undo` names
    is undone.

    Returns the entries that are no complete ratings; with the problem, where one was chosen.
    """
    entries: dict[int, Entry] = {}
    fields = {name: readable(value) for name, value in request.POST.dict().items()}
    with locked(assignment.pk, assignment.worker_id) as task:
        earlier = entries_of(task.ratings_of_try, task.drafts.values())
        for pk in task.units:
            if fields.get("undo") == str(pk):
                answer, problem = replace(OPEN, comment=fields.get(f"comment-{pk}", "")), ""
            else:
                answer, problem = _answer_of_form(task.protocol, pk, fields)
            has_answers = any(one != [] for one in answer.answers.values())
            if answer.is_chosen or problem or answer.comment or has_answers or pk in earlier:
                entry = _save_entry(task, pk, answer, problem)
                if not entry.is_rated:
                    entries[pk] = entry
    return entries


def _answer_of_form(protocol: Protocol, pk: int, fields: Mapping[str, str]) -> tuple[Answer, str]:
    """The answer about a candidate in a form's fields, and the problem of its main question."""
    # With a slider, a box of its own says that the rater cannot judge.
    choice = fields.get(f"cannot-{pk}") or fields.get(f"value-{pk}", "")
    value = whole_number(choice)
    is_chosen = value is not None or choice == CANNOT
    answer = Answer(
        value,
        fields.get(f"comment-{pk}", ""),
        answers=answers_of_form(protocol, pk, value, fields),
        is_draft=not is_chosen,
        is_chosen=is_chosen,
    )
    return answer, gettext("Choose one of the values.") if choice and not is_chosen else ""


def _save_entry(task: LockedTask, pk: int, answer: Answer, problem: str = "") -> Entry:
    """Save an answer; as a draft what is refused as a rating. Returns it with the problem."""
    at = now()
    try:
        task.save(pk, answer, made_at=at, at=at)
    except RefusedError as error:
        if answer.is_draft:
            return Entry(answer, problem=str(error))
        return _save_entry(task, pk, replace(answer, is_draft=True), str(error))
    return Entry(answer, at, problem)


def task_page(
    request: HttpRequest,
    participant: Participation,
    token: str,
    assignment: Assignment,
    new_entries: dict[int, Entry] | None = None,
    *,
    action: str = "",
    context_changes: Mapping[str, object] | None = None,
) -> HttpResponse:
    """The page on which a task is rated; after saving or submitting, with the problems.

    `context_changes` replaces values of the template's context for a crowd platform.
    """
    entries = entries_for(assignment) | (new_entries or {})
    protocol = assignment.protocol_version.protocol
    candidates = members(assignment.hit_id, with_parts=protocol.compares)
    if action in (SUBMIT, SUBMIT_AND_STOP):
        for candidate in candidates:
            entry = entries.get(candidate.pk, Entry())
            if not entry.is_rated and not entry.problem:
                entries[candidate.pk] = replace(entry, problem=gettext("Not rated yet."))
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
    totals = participation.totals(participant)
    current = participant.study.current.protocol
    next_stage = _next_stage(participant, current, assignment, done=1)
    context: dict[str, object] = {
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
        "earned": lazy_dollars(totals.earned_cents),
        "submitted": totals.submitted,
        "opens_next": next_stage is not None
        and handing_out.has_task_left(participant.worker, next_stage),
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
