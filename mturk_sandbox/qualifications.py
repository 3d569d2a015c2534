"""Qualifications of workers: granting, revoking, requesting and listing them."""

from __future__ import annotations

import sqlite3
from typing import Any

from mturk_sandbox.blocks import require_worker
from mturk_sandbox.context import Context, OperationCall, Parameters, operation
from mturk_sandbox.errors import does_not_exist, request_error, wrong_state
from mturk_sandbox.mail import send_mail
from mturk_sandbox.paging import list_page
from mturk_sandbox.qualification_types import own_type

DEFAULT_VALUE = 1


def grant(context: Context, type_id: str, worker_id: str, value: int) -> None:
    """Grant a worker a qualification, or change its value."""
    context.run(
        "INSERT INTO qualifications (type_id, worker_id, value, status, granted)"
        " VALUES (?, ?, ?, 'Granted', ?) ON CONFLICT (type_id, worker_id) DO UPDATE SET"
        " value = excluded.value, status = 'Granted', granted = excluded.granted, reason = NULL",
        type_id,
        worker_id,
        value,
        context.now,
    )


@operation("AssociateQualificationWithWorker")
def associate(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Grant a qualification without a request; SendNotification false sends no message."""
    row = own_type(call, parameters["QualificationTypeId"])
    worker = parameters["WorkerId"]
    require_worker(call, worker)
    grant(call, row["id"], worker, parameters.get("IntegerValue", DEFAULT_VALUE))
    if parameters.get("SendNotification", True):
        send_mail(call, worker, f"You have the qualification {row['name']}", row["description"])
    return {}


@operation("DisassociateQualificationFromWorker")
def disassociate(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Revoke a qualification, and send the worker the reason."""
    row = own_type(call, parameters["QualificationTypeId"])
    worker, reason = parameters["WorkerId"], parameters.get("Reason")
    revoked = call.run(
        "UPDATE qualifications SET status = 'Revoked', reason = ?"
        " WHERE type_id = ? AND worker_id = ? AND status = 'Granted'",
        reason,
        row["id"],
        worker,
    )
    if not revoked:
        raise _no_qualification(row["id"], worker)
    send_mail(call, worker, f"The qualification {row['name']} was revoked", reason or "")
    return {}


def _no_qualification(type_id: str, worker: str) -> Exception:
    return request_error(
        "QualificationDoesNotExist",
        f"Worker {worker} does not have a Qualification of type {type_id}.",
    )


def qualification_structure(row: sqlite3.Row) -> dict[str, Any]:
    """A row of qualifications as the API's structure."""
    return {
        "QualificationTypeId": row["type_id"],
        "WorkerId": row["worker_id"],
        "GrantTime": row["granted"],
        "IntegerValue": row["value"],
        "Status": row["status"],
    }


@operation("GetQualificationScore")
def get_qualification_score(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """A worker's qualification of one of the caller's types, revoked ones included."""
    type_id = own_type(call, parameters["QualificationTypeId"])["id"]
    worker = parameters["WorkerId"]
    query = "SELECT * FROM qualifications WHERE type_id = ? AND worker_id = ?"
    row = call.one(query, type_id, worker)
    if row is None:
        raise _no_qualification(type_id, worker)
    return {"Qualification": qualification_structure(row)}


@operation("ListWorkersWithQualificationType")
def list_workers(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """The granted and revoked qualifications of a type, or those of one status."""
    query = "SELECT * FROM qualifications WHERE type_id = ?"
    values = [own_type(call, parameters["QualificationTypeId"])["id"]]
    if "Status" in parameters:
        query += " AND status = ?"
        values.append(parameters["Status"])
    rows, answer = list_page(call, parameters, query, *values)
    return {**answer, "Qualifications": [qualification_structure(row) for row in rows]}


@operation("ListQualificationRequests")
def list_requests(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Pending requests for one or all of the caller's types."""
    query = (
        "SELECT * FROM qualification_requests WHERE status = 'Pending' AND type_id IN"
        " (SELECT id FROM qualification_types WHERE account = ? AND NOT deleted)"
    )
    values = [call.account]
    if "QualificationTypeId" in parameters:
        query += " AND type_id = ?"
        values.append(own_type(call, parameters["QualificationTypeId"])["id"])
    rows, answer = list_page(call, parameters, query, *values)
    requests = [
        {
            "QualificationRequestId": row["id"],
            "QualificationTypeId": row["type_id"],
            "WorkerId": row["worker_id"],
            "Test": row["test"],
            "Answer": row["answer"],
            "SubmitTime": row["submitted"],
        }
        for row in rows
    ]
    return {**answer, "QualificationRequests": requests}


@operation("AcceptQualificationRequest")
def accept_request(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Grant a request, with the value 1 by default."""
    row = _pending(call, parameters["QualificationRequestId"])
    value = parameters.get("IntegerValue", DEFAULT_VALUE)
    grant(call, row["type_id"], row["worker_id"], value)
    call.run("UPDATE qualification_requests SET status = 'Granted' WHERE id = ?", row["id"])
    return {}


@operation("RejectQualificationRequest")
def reject_request(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Reject a request, and send the worker the reason."""
    row = _pending(call, parameters["QualificationRequestId"])
    query = "UPDATE qualification_requests SET status = 'Rejected', reason = ? WHERE id = ?"
    call.run(query, parameters.get("Reason"), row["id"])
    send_mail(
        call,
        row["worker_id"],
        "Your request for a qualification was rejected",
        parameters.get("Reason") or "",
    )
    return {}


def _pending(call: OperationCall, request_id: str) -> sqlite3.Row:
    row = call.one(
        "SELECT r.* FROM qualification_requests r JOIN qualification_types t ON t.id = r.type_id"
        " WHERE r.id = ? AND t.account = ? AND r.status NOT IN ('Sitting', 'Lapsed')",
        request_id,
        call.account,
    )
    if row is None:
        raise does_not_exist("QualificationRequest", request_id)
    if row["status"] != "Pending":
        raise wrong_state("QualificationRequest", row["status"], "Pending")
    return row
