"""Assignments as the requester sees them: listed once submitted, approved, rejected."""

from __future__ import annotations

import re
import sqlite3
from typing import Any

from mturk_sandbox.accounts import hold_for
from mturk_sandbox.errors import does_not_exist, invalid, request_error, wrong_state
from mturk_sandbox.hits import own_hit
from mturk_sandbox.hits import shown as hit_shown
from mturk_sandbox.life import approve, assignment_row, touch
from mturk_sandbox.notifications import announce
from mturk_sandbox.paging import page
from mturk_sandbox.world import Call, Parameters, operation

HANDED_IN = ("Submitted", "Approved", "Rejected")
OVERRIDE = 30 * 86_400
MOST_FEEDBACK = 1024
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f]")


def own_assignment(call: Call, assignment_id: str) -> sqlite3.Row:
    """A submitted assignment of one of the caller's HITs. Raises a TurkError.

    Assignments in workers' hands, and those returned or abandoned, are not shown to requesters.
    """
    known = call.one("SELECT status FROM assignments WHERE id = ?", assignment_id)
    if known is not None and known["status"] in HANDED_IN:
        row = assignment_row(call, assignment_id)
        if row["account"] == call.account:
            return row
    raise does_not_exist("Assignment", assignment_id)


def shown(row: sqlite3.Row) -> dict[str, Any]:
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
def list_assignments_for_hit(call: Call, parameters: Parameters) -> dict[str, Any]:
    """What was submitted for a HIT, in all three states or those asked for."""
    hit = own_hit(call, parameters["HITId"])
    statuses = parameters.get("AssignmentStatuses") or list(HANDED_IN)
    for status in statuses:
        if status not in HANDED_IN:
            raise invalid(f"AssignmentStatuses are {', '.join(HANDED_IN)}, not {status}.")
    marks = ", ".join("?" * len(statuses))
    query = f"SELECT * FROM assignments WHERE hit_id = ? AND status IN ({marks})"
    rows, answer = page(call, parameters, query, hit["id"], *statuses)
    return {**answer, "Assignments": [shown(row) for row in rows]}


@operation("GetAssignment")
def get_assignment(call: Call, parameters: Parameters) -> dict[str, Any]:
    """One submitted assignment, and its HIT."""
    row = own_assignment(call, parameters["AssignmentId"])
    return {"Assignment": shown(row), "HIT": hit_shown(call, own_hit(call, row["hit_id"]))}


@operation("ApproveAssignment")
def approve_assignment(call: Call, parameters: Parameters) -> dict[str, Any]:
    """Pay a submitted assignment; with OverrideRejection a rejected one, within 30 days."""
    row = own_assignment(call, parameters["AssignmentId"])
    override = parameters.get("OverrideRejection", False)
    _check_feedback(parameters.get("RequesterFeedback"))
    if row["status"] == "Approved" or (row["status"] == "Rejected" and not override):
        allowed = "Submitted, Rejected" if override else "Submitted"
        raise wrong_state("Assignment", row["status"], allowed)
    if row["status"] == "Rejected":
        if row["disposed"]:
            raise wrong_state("HIT", "Disposed", "Reviewable, Reviewing")
        if call.now - row["submitted"] > OVERRIDE:
            raise request_error(
                "InvalidAssignmentState",
                f"Assignment {row['id']} was submitted more than 30 days ago; its rejection can no "
                "longer be overridden.",
            )
    approve(call, row, feedback=parameters.get("RequesterFeedback"), at=call.now)
    return {}


@operation("RejectAssignment")
def reject_assignment(call: Call, parameters: Parameters) -> dict[str, Any]:
    """Refuse to pay a submitted assignment, saying why; its money is released."""
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
    hold_for(call, row["hit_id"])
    announce(call, row["hit_id"], "AssignmentRejected", assignment_id=row["id"])
    touch(call, row["hit_id"])
    return {}


def _check_feedback(feedback: str | None) -> None:
    if feedback is not None and len(feedback) > MOST_FEEDBACK:
        raise invalid(f"RequesterFeedback is longer than {MOST_FEEDBACK} characters.")
    if feedback is not None and CONTROL.search(feedback):
        raise invalid("RequesterFeedback has ASCII control characters.")


@operation("GetFileUploadURL")
def get_file_upload_url(call: Call, parameters: Parameters) -> dict[str, Any]:
    """Always refused: MTurk withdrew FileUploadAnswer in 2017, and no file can have been sent."""
    row = own_assignment(call, parameters["AssignmentId"])
    raise request_error(
        "InvalidQuestionIdentifier",
        f"Assignment {row['id']} has no uploaded file for {parameters['QuestionIdentifier']}.",
    )
