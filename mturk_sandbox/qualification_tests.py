"""Qualification tests that workers take.

A test without RetryDelayInSeconds can be taken once; with it, again after that time. A test that
was started but not submitted counts as an attempt.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from mturk_sandbox.answer_keys import read_answer_key
from mturk_sandbox.answers import Fields
from mturk_sandbox.context import Context, new_id
from mturk_sandbox.qualifications import grant, own_value
from mturk_sandbox.questions import read_test
from mturk_sandbox.work import WorkError


@dataclass(frozen=True)
class QualificationStatus:
    """A worker's status for a qualification type.

    value: the qualification's value, None without it. running: the request with a running test.
    obstacle: why its test cannot be taken now, empty if it can.
    """

    kind: sqlite3.Row
    value: int | None
    running: sqlite3.Row | None
    obstacle: str


def qualification_status(context: Context, worker_id: str, type_id: str) -> QualificationStatus:
    """A worker's status for a type. Raises a WorkError for an unknown type."""
    kind = context.one("SELECT * FROM qualification_types WHERE id = ?", type_id)
    if kind is None:
        raise WorkError("There is no such qualification.", 404)
    last = context.one(
        "SELECT * FROM qualification_requests WHERE type_id = ? AND worker_id = ?"
        " ORDER BY seq DESC LIMIT 1",
        type_id,
        worker_id,
    )
    running = last is not None and last["status"] == "Sitting" and context.now < last["deadline"]
    return QualificationStatus(
        kind,
        own_value(context, worker_id, type_id),
        last if running else None,
        "" if running else _obstacle(context, kind, last),
    )


def _obstacle(context: Context, kind: sqlite3.Row, last: sqlite3.Row | None) -> str:
    if kind["test"] is None or kind["status"] != "Active":
        return "This qualification cannot be requested."
    if last is None:
        return ""
    if kind["retry_delay"] is None:
        return "You have asked for this qualification before; it can be asked for only once."
    wait = last["asked"] + kind["retry_delay"] - context.now
    if wait > 0:
        return f"You can ask for this qualification again in {int(wait) + 1} seconds."
    return ""


def start_test(context: Context, worker_id: str, type_id: str) -> None:
    """Start a qualification's test, or continue the running one. Raises a WorkError."""
    qualification = qualification_status(context, worker_id, type_id)
    if qualification.running is not None:
        return
    if qualification.obstacle:
        raise WorkError(qualification.obstacle)
    kind = qualification.kind
    context.run(
        "INSERT INTO qualification_requests (id, type_id, worker_id, status, asked, deadline,"
        " test, answer_key) VALUES (?, ?, ?, 'Sitting', ?, ?, ?, ?)",
        *(new_id(), type_id, worker_id, context.now, context.now + kind["test_duration"]),
        *(kind["test"], kind["answer_key"]),
    )


def submit_test(context: Context, qualification: QualificationStatus, fields: Fields) -> None:
    """Submit a running test, which grants the qualification with its score. Raises a WorkError."""
    running = qualification.running
    if running is None:
        raise WorkError("You are not taking this test, or its time has run out.")
    _, selections = read_test(running["test"])
    answers = {name: value for name, value in fields if value in selections.get(name, ())}
    if missing := [name for name in selections if name not in answers]:
        raise WorkError(f"Question {missing[0]}: an answer is required.", 400)
    value = read_answer_key(running["answer_key"], selections).score(answers)
    grant(context, qualification.kind["id"], running["worker_id"], value)
    context.run(
        "UPDATE qualification_requests SET status = 'Granted', submitted = ? WHERE id = ?",
        context.now,
        running["id"],
    )
