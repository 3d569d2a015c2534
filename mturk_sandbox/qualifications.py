"""Qualification types and the qualifications of workers: creating, finding and granting them."""

from __future__ import annotations

import sqlite3
from typing import Any

from mturk_sandbox.answer_keys import read_answer_key
from mturk_sandbox.context import Context, OperationCall, Parameters, new_id, operation
from mturk_sandbox.errors import does_not_exist, invalid, request_error
from mturk_sandbox.paging import list_page
from mturk_sandbox.questions import read_test

MAX_LENGTHS = {"Name": 200, "Description": 2000}
# The members of the API's structure that are columns.
COLUMNS = {
    "QualificationTypeId": "id",
    "CreationTime": "created",
    "Name": "name",
    "Description": "description",
    "QualificationTypeStatus": "status",
    "Test": "test",
    "AnswerKey": "answer_key",
    "TestDurationInSeconds": "test_duration",
    "RetryDelayInSeconds": "retry_delay",
}


@operation("CreateQualificationType")
def create_qualification_type(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Create a type with a name that is unique for the caller."""
    _check(parameters)
    name = parameters["Name"]
    select_name = "SELECT 1 FROM qualification_types WHERE account = ? AND name = ?"
    if call.one(select_name, call.account, name):
        raise request_error(
            "QualificationTypeAlreadyExists",
            "You have already created a QualificationType with this name.",
        )
    columns = {COLUMNS[key]: value for key, value in parameters.items() if key in COLUMNS}
    columns |= {"id": new_id(), "account": call.account, "created": call.now}
    marks = ", ".join("?" * len(columns))
    query = f"INSERT INTO qualification_types ({', '.join(columns)}) VALUES ({marks})"
    call.run(query, *columns.values())
    return {"QualificationType": _structure(_own_type(call, columns["id"]))}


def _check(parameters: Parameters) -> None:
    for name, max_length in MAX_LENGTHS.items():
        if len(parameters[name]) > max_length:
            raise invalid(f"{name} is longer than {max_length} characters.")
    if not parameters["Name"].strip():
        raise invalid("Name is empty.")
    for name in ("AutoGranted", "AutoGrantedValue", "Keywords"):
        if parameters.get(name):
            raise invalid(f"The sandbox has no {name}.")
    parts = {"Test", "AnswerKey", "TestDurationInSeconds"} & parameters.keys()
    if not parts:
        return
    if len(parts) < 3 or parameters["TestDurationInSeconds"] < 1:
        raise invalid("A Test needs an AnswerKey and TestDurationInSeconds.")
    read_answer_key(parameters["AnswerKey"], read_test(parameters["Test"])[1])


def _own_type(call: OperationCall, type_id: str) -> sqlite3.Row:
    """The caller's type. Raises a TurkError, with its own code for another account's type."""
    row = call.one("SELECT * FROM qualification_types WHERE id = ?", type_id)
    if row is None:
        raise does_not_exist("QualificationType", type_id)
    if row["account"] != call.account:
        raise request_error(
            "PermissionDeniedException", f"You do not own the QualificationType {type_id}."
        )
    return row


def _structure(row: sqlite3.Row) -> dict[str, Any]:
    """A row of qualification_types as the API's structure."""
    is_requestable = bool(row["account"]) and row["status"] == "Active"
    members = {name: row[column] for name, column in COLUMNS.items()}
    return {**members, "IsRequestable": is_requestable, "AutoGranted": False}


@operation("ListQualificationTypes")
def list_qualification_types(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Types whose name and description have all words of the query."""
    query, values = "SELECT * FROM qualification_types WHERE true", []
    if parameters["MustBeRequestable"]:
        query += " AND account <> '' AND status = 'Active'"
    if parameters.get("MustBeOwnedByCaller"):
        query += " AND account = ?"
        values.append(call.account)
    for word in parameters.get("Query", "").split():
        query += " AND instr(lower(name || ' ' || description), ?)"
        values.append(word.lower())
    rows, answer = list_page(call, parameters, query, *values)
    shown_rows = [
        _structure(row)
        | ({} if row["account"] == call.account else {"Test": None, "AnswerKey": None})
        for row in rows
    ]
    return {**answer, "QualificationTypes": shown_rows}


@operation("AssociateQualificationWithWorker")
def associate(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Grant a qualification without a test. The message to the worker is not sent."""
    type_id = _own_type(call, parameters["QualificationTypeId"])["id"]
    worker = parameters["WorkerId"]
    if call.one("SELECT 1 FROM workers WHERE id = ?", worker) is None:
        raise does_not_exist("Worker", worker)
    grant(call, type_id, worker, parameters.get("IntegerValue", 1))
    return {}


def grant(context: Context, type_id: str, worker_id: str, value: int) -> None:
    """Grant a worker a qualification, or change its value."""
    context.run(
        "INSERT INTO qualifications (type_id, worker_id, value, status, granted)"
        " VALUES (?, ?, ?, 'Granted', ?) ON CONFLICT (type_id, worker_id) DO UPDATE SET"
        " value = excluded.value, granted = excluded.granted",
        type_id,
        worker_id,
        value,
        context.now,
    )


def own_value(context: Context, worker_id: str, type_id: str) -> int | None:
    """The value of a worker's qualification of a requester's type; None without it."""
    row = context.one(
        "SELECT value FROM qualifications WHERE type_id = ? AND worker_id = ?", type_id, worker_id
    )
    return None if row is None else int(row["value"])
