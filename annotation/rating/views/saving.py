"""Saving ratings as they are made: JSON in, and the stored ratings out."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, JsonResponse
from django.utils.timezone import now
from django.utils.translation import gettext_lazy

from annotation.rating.models import Assignment, Participation
from annotation.rating.services.changes import LockedTask, locked
from annotation.rating.services.rating_checks import CLOSED, Answer
from annotation.rating.views.page_guard import PageError, readable, worker_page
from annotation.rating.views.task import assignment_of, no_such_task
from annotation.rating.views.task_display import (
    Entry,
    entries_for,
    entries_of,
    milliseconds,
)
from core.refusals import RefusedError

MAX_SECONDS = 7 * 24 * 3600.0
INVALID_REQUEST = gettext_lazy(
    "The page sent an invalid request. Reload the page: saved ratings are kept."
)


# Of what the page sends: the candidate, the answer, and when it was made, in the server's time.
Change = tuple[int, Answer, datetime]


@worker_page("GET", "POST", as_json=True)
def ratings(request: HttpRequest, participant: Participation, token: str, pk: int) -> JsonResponse:
    """GET returns the stored ratings. POST saves some first, each independently; the last made
    counts.

    POST {"ratings": [{"candidate": 12, "value": 4, "answers": {"fluency": 3}, "comment": "",
    "seconds": 3.2, "made_at": ms}]}: value null means "cannot judge"; made_at is optional and
    defaults to now. With "draft": true the answer is not finished: answers may be missing, and
    value too. Returns {"status", "seconds_left", "now": ms, "ratings": {"12": {"choice",
    "answers", "comment", "seconds", "made_at"}}, "refused": {"13": reason}}; status 422 if some
    were refused, 409 if the task is closed.
    """
    return save(request, participant, pk)


def save(request: HttpRequest, participant: Participation, pk: int) -> JsonResponse:
    """Save the ratings of a worker's task and return the JSON of `ratings`."""
    if request.method != "POST":
        assignment = assignment_of(participant, pk)
        return JsonResponse({**_state(assignment, entries_for(assignment)), "refused": {}})
    try:
        with locked(pk, participant.worker_id) as task:
            changes = _changes(request.body)
            if task.assignment.status not in Assignment.OPEN or participant.withdrawn_at:
                raise PageError(409, "", str(CLOSED))
            refused = _save(task, changes)
    except Assignment.DoesNotExist as error:
        raise no_such_task() from error
    state = _state(task.assignment, entries_of(task.ratings_of_try, task.drafts.values()))
    return JsonResponse(
        {**state, "refused": refused},
        status=HTTPStatus.UNPROCESSABLE_ENTITY if refused else HTTPStatus.OK,
    )


def _save(task: LockedTask, changes: list[Change]) -> dict[int, str]:
    """Save each change; the reasons why some were refused, by candidate."""
    refused = {}
    for candidate, answer, made_at in changes:
        try:
            task.save(candidate, answer, made_at=made_at, at=now())
        except RefusedError as error:
            refused[candidate] = str(error)
    return refused


def _state(assignment: Assignment, entries: Mapping[int, Entry]) -> dict[str, object]:
    """A task as its page shows it; ratings by candidate."""
    moment = now()
    return {
        "status": assignment.status,
        "seconds_left": max(0, int((assignment.lease_until - moment).total_seconds())),
        "now": milliseconds(moment),
        "ratings": {pk: entry.to_json() for pk, entry in entries.items()},
    }


def _changes(body: bytes) -> list[Change]:
    """The changes in a request. Raises PageError if it is invalid."""
    try:
        content = json.loads(body)
        return [_change(one) for one in content["ratings"]]
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError, OSError) as error:
        raise PageError(400, "", str(INVALID_REQUEST)) from error


def _change(row: Any) -> Change:  # noqa: ANN401 - JSON, which it checks
    """Parse a change. Raises ValueError, KeyError or TypeError if it is invalid."""
    candidate = row["candidate"]
    is_draft = row.get("draft", False)
    value = row.get("value", "") if is_draft else row["value"]
    comment, seconds = row.get("comment", ""), row.get("seconds")
    made_at, answers = row.get("made_at"), row.get("answers", {})
    if type(candidate) is not int or not 0 < candidate < 2**63:
        raise ValueError("candidate")
    is_value = type(value) in (int, type(None)) or (is_draft is True and value == "")
    if not is_value or type(is_draft) is not bool or not isinstance(comment, str):
        raise ValueError("value, draft or comment")
    if not isinstance(answers, dict):
        raise ValueError("answers")
    answers = {
        name: readable(answer) if isinstance(answer, str) else answer
        for name, answer in answers.items()
    }
    if seconds is not None:
        seconds = float(seconds)
        if not math.isfinite(seconds):
            raise ValueError("seconds")
        seconds = min(max(seconds, 0.0), MAX_SECONDS)
    moment = now() if made_at is None else datetime.fromtimestamp(float(made_at) / 1000, UTC)
    comment = readable(comment)
    is_chosen = value != ""
    number = value if is_chosen else None
    answer = Answer(number, comment, seconds, answers, is_draft=is_draft, is_chosen=is_chosen)
    return candidate, answer, moment
