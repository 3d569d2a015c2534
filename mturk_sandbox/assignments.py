"""Assignments for the requester: listed after submission, approved and rejected."""

from __future__ import annotations

import re
import sqlite3
from typing import Any

from mturk_sandbox.accounts import update_hold
from mturk_sandbox.context import OperationCall, Parameters, operation
from mturk_sandbox.errors import does_not_exist, invalid, request_error, wrong_state
from mturk_sandbox.hits import hit_structure, own_hit
from mturk_sandbox.lifecycle import approve, assignment_row, record_change
from mturk_sandbox.notifications import notify
from mturk_sandbox.paging import list_page

SUBMITTED_STATUSES = ("Submitted", "Approved", "Rejected")
MAX_OVERRIDE_SECONDS = 30 * 86_400
MAX_FEEDBACK_CHARACTERS = 1024
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")


def own_assignment(call: OperationCall, assignment_id: str) -> sqlite3.Row:
    """A submitted assignment of one of the caller's HITs. Raises a TurkError.

    Requesters cannot see assignments that are accepted, returned or abandoned.
    """
    assignment = call.one("SELECT status FROM assignments WHERE id = ?", assignment_id)
    if assignment is not None and assignment["status"] in SUBMITTED_STATUSES:
        row = assignment_row(call, assignment_id)
        if row["account"] == call.account:
            return row
    raise does_not_exist("Assignment", assignment_id)


def assignment_structure(row: sqlite3.Row) -> dict[str, Any]:
    """A row of assignments as the API's Assignment structure."""
    return {
        "AssignmentId": row["id"],
        "WorkerId": row["worker_id"],
        "HITId": row["hit_id"],
        "AssignmentStatus": row["status"],
        "AutoApprovalTime": row["auto_approval"],
        "AcceptTime": row["accepted"],
        "SubmitTime": row["submitted"],
        "ApprovalTime": row["approved"],
        "RejectionTime": row["rejected"],
        "Deadline": row["deadline"],
        "Answer": row["answer"],
        "RequesterFeedback": row["feedback"],
    }


@operation("ListAssignmentsForHIT")
def list_assignments_for_hit(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """The submitted assignments of a HIT, by default in all three states."""
    hit = own_hit(call, parameters["HITId"])
    statuses = parameters.get("AssignmentStatuses") or list(SUBMITTED_STATUSES)
    for status in statuses:
        if status not in SUBMITTED_STATUSES:
            raise invalid(f"AssignmentStatuses are {', '.join(SUBMITTED_STATUSES)}, not {status}.")
    marks = ", ".join("?" * len(statuses))
    query = f"SELECT * FROM assignments WHERE hit_id = ? AND status IN ({marks})"
    rows, answer = list_page(call, parameters, query, hit["id"], *statuses)
    return {**answer, "Assignments": [assignment_structure(row) for row in rows]}


@operation("GetAssignment")
def get_assignment(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """One submitted assignment, and its HIT."""
    row = own_assignment(call, parameters["AssignmentId"])
    return {
        "Assignment": assignment_structure(row),
        "HIT": hit_structure(call, own_hit(call, row["hit_id"])),
    }


@operation("ApproveAssignment")
def approve_assignment(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Pay a submitted assignment; with OverrideRejection a rejected one, within 30 days."""
    row = own_assignment(call, parameters["AssignmentId"])
    override = parameters.get("OverrideRejection", False)
    _check_feedback(parameters.get("RequesterFeedback"))
    if row["status"] == "Approved" or (row["status"] == "Rejected" and not override):
        allowed = "Submitted, Rejected" if override else "Submitted"
        raise wrong_state("Assignment", row["status"], allowed)
    if row["status"] == "Rejected":
        if row["disposed"]:
            raise wrong_state("HIT", "Disposed", "Reviewable")
        if call.now - row["submitted"] > MAX_OVERRIDE_SECONDS:
            raise request_error(
                "InvalidAssignmentState",
                f"Assignment {row['id']} was submitted more than 30 days ago; its rejection can no "
                "longer be overridden.",
            )
    approve(call, row, feedback=parameters.get("RequesterFeedback"), at=call.now)
    return {}


@operation("RejectAssignment")
def reject_assignment(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Reject a submitted assignment with feedback; its amount on hold is released."""
    row = own_assignment(call, parameters["AssignmentId"])
    feedback = parameters["RequesterFeedback"]
    _check_feedback(feedback)
    if not feedback.strip():
        raise invalid("RequesterFeedback is empty.")
    if row["status"] != "Submitted":
        raise wrong_state("Assignment", row["status"], "Submitted")
    call.run(
        "UPDATE assignments SET status = 'Rejected', rejected = ?, feedback = ? WHERE id = ?",
        call.now,
        feedback,
        row["id"],
    )
    update_hold(call, row["hit_id"])
    notify(call, row["hit_id"], "AssignmentRejected", assignment_id=row["id"])
    record_change(call, row["hit_id"])
    return {}


def _check_feedback(feedback: str | None) -> None:
    if feedback is not None and len(feedback) > MAX_FEEDBACK_CHARACTERS:
        raise invalid(f"RequesterFeedback is longer than {MAX_FEEDBACK_CHARACTERS} characters.")
    if feedback is not None and CONTROL.search(feedback):
        raise invalid("RequesterFeedback has ASCII control characters.")
