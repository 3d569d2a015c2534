"""Qualifications of workers: granting and reading them."""

from __future__ import annotations

import sqlite3
from typing import Any

from mturk_sandbox.context import Context, OperationCall, Parameters, operation
from mturk_sandbox.errors import does_not_exist, request_error
from mturk_sandbox.mail import send_mail
from mturk_sandbox.qualification_types import own_type

DEFAULT_VALUE = 1


def grant(context: Context, type_id: str, worker_id: str, value: int) -> None:
    """Grant a worker a qualification, or change its value."""
    context.run(
        "INSERT INTO qualifications (type_id, worker_id, value, status, granted)"
        " VALUES (?, ?, ?, 'Granted', ?) ON CONFLICT (type_id, worker_id) DO UPDATE SET"
        " value = excluded.value, status = 'Granted', granted = excluded.granted",
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
    if call.one("SELECT 1 FROM workers WHERE id = ?", worker) is None:
        raise does_not_exist("Worker", worker)
    grant(call, row["id"], worker, parameters.get("IntegerValue", DEFAULT_VALUE))
    if parameters.get("SendNotification", True):
        send_mail(call, worker, f"You have the qualification {row['name']}", row["description"])
    return {}


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
    """A worker's qualification of one of the caller's types."""
    type_id = own_type(call, parameters["QualificationTypeId"])["id"]
    worker = parameters["WorkerId"]
    query = "SELECT * FROM qualifications WHERE type_id = ? AND worker_id = ?"
    row = call.one(query, type_id, worker)
    if row is None:
        raise request_error(
            "QualificationDoesNotExist",
            f"Worker {worker} does not have a Qualification of type {type_id}.",
        )
    return {"Qualification": qualification_structure(row)}
