"""Requests for qualifications by workers, and qualification tests.

A qualification is granted automatically, by a test or by the requester. A type without
RetryDelayInSeconds can be requested once; with it, again after that time. A test that was started
but not submitted counts as a request.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from mturk_sandbox.answer_keys import read_answer_key
from mturk_sandbox.answers import selected_options
from mturk_sandbox.context import Context, new_id
from mturk_sandbox.qualification_types import is_requestable
from mturk_sandbox.qualifications import grant
from mturk_sandbox.questions import read_test, selection_identifiers
from mturk_sandbox.work import WorkError


@dataclass(frozen=True)
class QualificationStatus:
    """A worker's status for a qualification type.

    value: the qualification's value, None without it. running: the request with a running test.
    obstacle: why it cannot be requested now, empty if it can.
    """

    kind: sqlite3.Row
    value: int | None
    running: sqlite3.Row | None
    obstacle: str


def qualification_status(context: Context, worker_id: str, type_id: str) -> QualificationStatus:
    """A worker's status for a type. Raises a WorkError for an unknown type."""
    query = "SELECT * FROM qualification_types WHERE id = ?"
    kind = context.one(query, type_id)
    if kind is None:
        raise WorkError("There is no such qualification.", 404)
    granted = context.one(
        "SELECT value FROM qualifications"
        " WHERE type_id = ? AND worker_id = ? AND status = 'Granted'",
        type_id,
        worker_id,
    )
    last = context.one(
        "SELECT * FROM qualification_requests WHERE type_id = ? AND worker_id = ?"
        " ORDER BY seq DESC LIMIT 1",
        type_id,
        worker_id,
    )
    running = last is not None and last["status"] == "Sitting" and context.now < last["deadline"]
    return QualificationStatus(
        kind,
        None if granted is None else granted["value"],
        last if running else None,
        "" if running else _obstacle(context, kind, worker_id, last),
    )


def _obstacle(context: Context, kind: sqlite3.Row, worker_id: str, last: sqlite3.Row | None) -> str:
    if not is_requestable(kind):
        return "This qualification cannot be requested."
    if last is None:
        return ""
    if last["status"] == "Pending":
        return "You have asked for this qualification; the requester has not decided yet."
    if kind["retry_delay"] is None:
        return "You have asked for this qualification before; it can be asked for only once."
    wait = last["asked"] + kind["retry_delay"] - context.now
    if wait > 0:
        return f"You can ask for this qualification again in {int(wait) + 1} seconds."
    return ""


def start_request(context: Context, worker_id: str, type_id: str) -> None:
    """Request a qualification, or continue its running test. Raises a WorkError."""
    qualification = qualification_status(context, worker_id, type_id)
    if qualification.running is not None:
        return
    if qualification.obstacle:
        raise WorkError(qualification.obstacle)
    kind = qualification.kind
    status, deadline = "Pending", None
    if kind["auto_granted"]:
        status = "Granted"
        value = kind["auto_granted_value"]
        grant(context, type_id, worker_id, 1 if value is None else value)
    elif kind["test"] is not None:
        status, deadline = "Sitting", context.now + kind["test_duration"]
    context.run(
        "INSERT INTO qualification_requests (id, type_id, worker_id, status, asked, deadline,"
        " submitted, test, answer_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        *(new_id(), type_id, worker_id, status, context.now, deadline),
        context.now if status == "Pending" else None,
        kind["test"],
        kind["answer_key"],
    )


def submit_test(context: Context, qualification: QualificationStatus, answer: str) -> None:
    """Submit a running test: granted with its score, or pending without an answer key."""
    kind, running = qualification.kind, qualification.running
    if running is None:
        raise WorkError("You are not taking this test, or its time has run out.")
    status = "Pending"
    if running["answer_key"] is not None:
        form = read_test(running["test"])
        key = read_answer_key(running["answer_key"], selection_identifiers(form))
        grant(context, kind["id"], running["worker_id"], key.score(selected_options(answer)))
        status = "Granted"
    context.run(
        "UPDATE qualification_requests SET status = ?, submitted = ?, answer = ? WHERE id = ?",
        status,
        context.now,
        answer,
        running["id"],
    )
