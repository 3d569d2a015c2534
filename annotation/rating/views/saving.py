"""Ratings saved as they are made: JSON in, and what stands on the server out."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, TypedDict

from django.http import HttpRequest, JsonResponse
from django.utils.timezone import now

from annotation.rating.models import Assignment, Participation
from annotation.rating.services.changes import save_change
from annotation.rating.services.handing_out import RatingInput, RatingRefusedError
from annotation.rating.views.door import PageError, readable, worker_page
from annotation.rating.views.showing import given_for, milliseconds
from annotation.rating.views.task import OPEN, assignment_of

LONGEST_SECONDS = 7 * 24 * 3600.0
NOT_UNDERSTOOD = "What the page sent was not understood. Load it again: nothing saved is lost."


@dataclass(frozen=True)
class Change:
    """A rating as the page sends it. `made_at` is by the server's clock, which the page keeps."""

    candidate: int
    given: RatingInput
    made_at: datetime


@worker_page("GET", "POST", as_json=True)
def ratings(request: HttpRequest, taking_part: Participation, token: str, pk: int) -> JsonResponse:
    """GET: the ratings that stand. POST: save some first, each for itself; the last made counts.

    POST {"ratings": [{"candidate": 12, "value": 4, "comment": "", "seconds": 3.2, "made_at": ms}]};
    value null means "cannot judge", made_at may be left out and is now. Answers {"status",
    "seconds_left", "now": ms, "ratings": {"12": {"choice", "comment", "seconds", "made_at"}},
    "refused": {"13": reason}}; 422 when some were refused, 409 when the task is not open any more.
    """
    return saved(request, taking_part, assignment_of(taking_part, pk))


def saved(request: HttpRequest, taking_part: Participation, mine: Assignment) -> JsonResponse:
    """What `ratings` answers for a worker's task."""
    refused: dict[int, str] = {}
    if request.method == "POST":
        changes = _changes(request.body)
        if mine.status not in OPEN or taking_part.withdrawn_at is not None:
            raise PageError(
                409, "", "This task was submitted or returned; its ratings stay as they are."
            )
        refused = _save(mine, changes)
    answer = {**_state(mine), "refused": refused}
    return JsonResponse(
        answer, status=HTTPStatus.UNPROCESSABLE_ENTITY if refused else HTTPStatus.OK
    )


def _save(mine: Assignment, changes: list[Change]) -> dict[int, str]:
    """Save each change; the reasons why some were refused, by candidate."""
    refused = {}
    for change in changes:
        try:
            save_change(mine, change.candidate, change.given, made_at=change.made_at, at=now())
        except RatingRefusedError as error:
            refused[change.candidate] = str(error)
    return refused


class RatingRow(TypedDict):
    choice: str
    comment: str
    seconds: float | None
    made_at: int | None


class StateRow(TypedDict):
    """A task as its page shows it; ratings by candidate."""

    status: str
    seconds_left: int
    now: int
    ratings: dict[int, RatingRow]


def _state(mine: Assignment) -> StateRow:
    moment = now()
    return {
        "status": mine.status,
        "seconds_left": max(0, int((mine.lease_until - moment).total_seconds())),
        "now": milliseconds(moment),
        "ratings": {
            pk: {
                "choice": given.choice,
                "comment": given.comment,
                "seconds": given.seconds,
                "made_at": given.milliseconds,
            }
            for pk, given in given_for(mine).items()
        },
    }


def _changes(body: bytes) -> list[Change]:
    """The changes that a page sent. Raises PageError for anything else."""
    try:
        given = json.loads(body)
        return [_change(one) for one in given["ratings"]]
    except (ValueError, KeyError, TypeError, RecursionError, OverflowError, OSError) as error:
        raise PageError(400, "", NOT_UNDERSTOOD) from error


def _change(given: Any) -> Change:
    """Raises ValueError, KeyError or TypeError for what is no change."""
    candidate, value = given["candidate"], given["value"]
    comment, seconds = given.get("comment", ""), given.get("seconds")
    made_at = given.get("made_at")
    if type(candidate) is not int or not 0 < candidate < 2**63:
        raise ValueError("candidate")
    if type(value) not in (int, type(None)) or not isinstance(comment, str):
        raise ValueError("value or comment")
    if seconds is not None:
        seconds = float(seconds)
        if not math.isfinite(seconds):
            raise ValueError("seconds")
        seconds = min(max(seconds, 0.0), LONGEST_SECONDS)
    moment = now() if made_at is None else datetime.fromtimestamp(float(made_at) / 1000, UTC)
    return Change(candidate, RatingInput(value, readable(comment), seconds), moment)
