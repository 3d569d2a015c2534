"""Actions of workers: finding, accepting, returning and submitting HITs.

Errors are `WorkError`s.
"""

from __future__ import annotations

import json
import re
import sqlite3
from dataclasses import dataclass

from mturk_sandbox.answers import Fields, free_text_answers
from mturk_sandbox.context import Context, new_id
from mturk_sandbox.lifecycle import approve, assignment_row, end_assignment, record_change
from mturk_sandbox.notifications import notify
from mturk_sandbox.requirements import Requirement, unmet_requirements

WORKER_ID = re.compile(r"A[A-Z0-9]{1,63}")
PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"


class WorkError(Exception):
    """An action is not possible; the message is for the worker, `status` for the page."""

    def __init__(self, message: str, status: int = 409) -> None:
        super().__init__(message)
        self.status = status


@dataclass(frozen=True)
class Group:
    """HITs of one type that a worker may see, and the qualifications that the worker lacks."""

    kind: sqlite3.Row
    requester: str
    available: int
    missing: list[Requirement]
    may_preview: bool


def ensure_worker(context: Context, worker_id: str) -> sqlite3.Row:
    """The worker of this ID, created if necessary. Raises a WorkError for a malformed ID."""
    if not WORKER_ID.fullmatch(worker_id):
        raise WorkError("A worker ID is an A and then capital letters and digits.", 400)
    query = "INSERT OR IGNORE INTO workers (id, created) VALUES (?, ?)"
    context.run(query, worker_id, context.now)
    row = context.one("SELECT * FROM workers WHERE id = ?", worker_id)
    assert row is not None
    return row


def find_groups(context: Context, worker_id: str) -> list[Group]:
    """The open HITs that a worker may see, grouped by type, the best paid first."""
    visible_groups = []
    rows = context.all(
        "SELECT t.*, a.customer_id, count(*) AS available FROM hit_states h"
        " JOIN hit_types t ON t.id = h.type_id JOIN accounts a ON a.id = h.account"
        " WHERE h.status = 'Assignable' AND h.id NOT IN (SELECT hit_id FROM assignments"
        " WHERE worker_id = ? AND status NOT IN ('Returned', 'Abandoned'))"
        " GROUP BY t.id ORDER BY t.reward DESC, t.title",
        worker_id,
    )
    for row in rows:
        requirements = json.loads(row["requirements"])
        if unmet_requirements(context, worker_id, requirements, "Discover"):
            continue
        missing = unmet_requirements(context, worker_id, requirements)
        can_preview = not unmet_requirements(context, worker_id, requirements, "Preview")
        visible_groups.append(
            Group(row, row["customer_id"], row["available"], missing, can_preview)
        )
    return visible_groups


def next_hit(context: Context, worker_id: str, group_id: str) -> sqlite3.Row | None:
    """An open HIT of a group (by its HITGroupId or HITTypeId) that the worker has not done."""
    return context.one(
        "SELECT h.* FROM hit_states h JOIN hit_types t ON t.id = h.type_id"
        " WHERE (t.group_id = ? OR t.id = ?) AND h.status = 'Assignable' AND h.id NOT IN"
        " (SELECT hit_id FROM assignments WHERE worker_id = ?"
        " AND status NOT IN ('Returned', 'Abandoned')) ORDER BY h.seq LIMIT 1",
        group_id,
        group_id,
        worker_id,
    )


def hit_with_type(context: Context, hit_id: str) -> sqlite3.Row:
    """A HIT with its type's properties. Raises a WorkError."""
    row = context.one(
        "SELECT h.*, t.title, t.description, t.keywords, t.reward, t.reward_text, t.duration,"
        " t.auto_approval, t.requirements, t.group_id FROM hit_states h"
        " JOIN hit_types t ON t.id = h.type_id WHERE h.id = ?",
        hit_id,
    )
    if row is None or row["disposed"]:
        raise WorkError("There is no such HIT.", 404)
    return row


def may_preview(context: Context, worker_id: str, hit: sqlite3.Row) -> bool:
    return not unmet_requirements(context, worker_id, json.loads(hit["requirements"]), "Preview")


def accept(context: Context, worker_id: str, hit_id: str) -> str:
    """Accept a HIT for a worker; returns the assignment's ID, also if it is already accepted.

    Raises a WorkError when the HIT is not open, was submitted before, or requires qualifications
    that the worker lacks.
    """
    hit = hit_with_type(context, hit_id)
    existing = context.one(
        "SELECT * FROM assignments WHERE hit_id = ? AND worker_id = ?"
        " AND status NOT IN ('Returned', 'Abandoned')",
        hit_id,
        worker_id,
    )
    if existing is not None:
        if existing["status"] == "Accepted":
            return str(existing["id"])
        raise WorkError("You have done this HIT already.")
    if unmet_requirements(context, worker_id, json.loads(hit["requirements"])):
        raise WorkError("You do not have the qualifications that this HIT asks for.", 403)
    if hit["status"] != "Assignable":
        raise WorkError("This HIT is no longer available: others were faster, or it has ended.")
    assignment_id = new_id()
    context.run(
        "INSERT INTO assignments (id, hit_id, worker_id, status, reward, fee, accepted, deadline)"
        " VALUES (?, ?, ?, 'Accepted', ?, ?, ?, ?)",
        assignment_id,
        hit_id,
        worker_id,
        hit["reward"],
        hit["fee"],
        context.now,
        context.now + hit["duration"],
    )
    notify(context, hit_id, "AssignmentAccepted", assignment_id=assignment_id)
    record_change(context, hit_id)
    return assignment_id


def active_assignment(context: Context, assignment_id: str) -> sqlite3.Row:
    """An assignment with the status Accepted. Raises a WorkError for any other."""
    assignment = context.one("SELECT status FROM assignments WHERE id = ?", assignment_id)
    if assignment is None:
        raise WorkError("There is no such assignment.", 404)
    messages = {
        "Returned": "You returned this HIT.",
        "Abandoned": "The time for this HIT has run out.",
    }
    if assignment["status"] != "Accepted":
        raise WorkError(messages.get(assignment["status"], "This HIT was submitted already."))
    return assignment_row(context, assignment_id)


def return_assignment(context: Context, worker_id: str, assignment_id: str) -> None:
    """Return a HIT, which reopens its slot for others. Raises a WorkError."""
    row = active_assignment(context, assignment_id)
    if row["worker_id"] != worker_id:
        raise WorkError("This is another worker's assignment.", 403)
    end_assignment(context, assignment_id, "Returned", at=context.now)


def submit_external_form(context: Context, assignment_id: str, fields: Fields) -> None:
    """Submit the fields of an external form. Raises a WorkError for an invalid form.

    `hitId` is ignored, as the API reference's page on ExternalQuestion says.
    """
    answers = [(name, value) for name, value in fields if name not in ("assignmentId", "hitId")]
    if not answers:
        raise WorkError("The form has no field besides assignmentId, so there is no answer.", 400)
    submit_answer(context, assignment_id, free_text_answers(answers))


def submit_answer(context: Context, assignment_id: str, answer: str) -> None:
    """Store a QuestionFormAnswers document for an accepted assignment, which becomes Submitted."""
    row = active_assignment(context, assignment_id)
    hit = hit_with_type(context, row["hit_id"])
    context.run(
        "UPDATE assignments SET status = 'Submitted', submitted = ?, auto_approval = ?, answer = ?"
        " WHERE id = ?",
        context.now,
        context.now + hit["auto_approval"],
        answer,
        assignment_id,
    )
    notify(context, hit["id"], "AssignmentSubmitted", assignment_id=assignment_id)
    record_change(context, hit["id"])
    if hit["auto_approval"] == 0:
        approve(context, assignment_row(context, assignment_id), feedback=None, at=context.now)
