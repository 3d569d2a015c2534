"""Qualification types: creating and finding them."""

from __future__ import annotations

import sqlite3
from typing import Any

from mturk_sandbox.answer_keys import read_answer_key
from mturk_sandbox.context import OperationCall, Parameters, new_id, operation
from mturk_sandbox.errors import does_not_exist, invalid, request_error
from mturk_sandbox.paging import list_page
from mturk_sandbox.questions import read_test, selection_identifiers

MAX_LENGTHS = {"Name": 200, "Description": 2000, "Keywords": 1000}
COLUMNS = {
    "Description": "description",
    "QualificationTypeStatus": "status",
    "Test": "test",
    "AnswerKey": "answer_key",
    "TestDurationInSeconds": "test_duration",
    "RetryDelayInSeconds": "retry_delay",
    "AutoGranted": "auto_granted",
    "AutoGrantedValue": "auto_granted_value",
}


@operation("CreateQualificationType")
def create_qualification_type(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Create a type with a name that is unique for the caller."""
    _check(parameters)
    name = parameters["Name"]
    if not name.strip():
        raise invalid("Name is empty.")
    select_name = "SELECT 1 FROM qualification_types WHERE account = ? AND name = ?"
    if call.one(select_name, call.account, name):
        raise request_error(
            "QualificationTypeAlreadyExists",
            "You have already created a QualificationType with this name.",
        )
    type_id = new_id()
    columns = {COLUMNS[key]: value for key, value in parameters.items() if key in COLUMNS}
    columns |= {"id": type_id, "account": call.account, "created": call.now, "name": name}
    columns["keywords"] = parameters.get("Keywords")
    marks = ", ".join("?" * len(columns))
    query = f"INSERT INTO qualification_types ({', '.join(columns)}) VALUES ({marks})"
    call.run(query, *columns.values())
    return {"QualificationType": qualification_type_structure(own_type(call, type_id))}


def _check(parameters: Parameters) -> None:
    for name, max_length in MAX_LENGTHS.items():
        if len(parameters.get(name) or "") > max_length:
            raise invalid(f"{name} is longer than {max_length} characters.")
    for name in ("TestDurationInSeconds", "RetryDelayInSeconds"):
        if parameters.get(name) is not None and parameters[name] < (name[0] == "T"):
            raise invalid(f"{name} is {parameters[name]}, which is too little.")
    test, key = parameters.get("Test"), parameters.get("AnswerKey")
    granted = parameters.get("AutoGranted", False)
    if test is not None and granted:
        raise invalid("A QualificationType with a Test cannot be AutoGranted.")
    if parameters.get("AutoGrantedValue") is not None and not granted:
        raise invalid("AutoGrantedValue is used only with AutoGranted.")
    if key is not None and test is None:
        raise invalid("An AnswerKey needs a Test.")
    if test is None:
        return
    form = read_test(test)
    if parameters.get("TestDurationInSeconds") is None:
        raise invalid("A Test needs TestDurationInSeconds.")
    if key is not None:
        read_answer_key(key, selection_identifiers(form))


def own_type(call: OperationCall, type_id: str) -> sqlite3.Row:
    """The caller's type. Raises a TurkError, with its own code for another account's type."""
    row = call.one("SELECT * FROM qualification_types WHERE id = ?", type_id)
    if row is None:
        raise does_not_exist("QualificationType", type_id)
    if row["account"] != call.account:
        raise request_error(
            "PermissionDeniedException", f"You do not own the QualificationType {type_id}."
        )
    return row


def is_requestable(row: sqlite3.Row) -> bool:
    """Whether workers can request it; MTurk's own types cannot be requested."""
    return bool(row["account"]) and row["status"] == "Active"


def qualification_type_structure(row: sqlite3.Row) -> dict[str, Any]:
    """A row of qualification_types as the API's structure."""
    return {
        "QualificationTypeId": row["id"],
        "CreationTime": row["created"],
        "Name": row["name"],
        "Description": row["description"],
        "Keywords": row["keywords"],
        "QualificationTypeStatus": row["status"],
        "Test": row["test"],
        "TestDurationInSeconds": row["test_duration"],
        "AnswerKey": row["answer_key"],
        "RetryDelayInSeconds": row["retry_delay"],
        "IsRequestable": is_requestable(row),
        "AutoGranted": bool(row["auto_granted"]),
        "AutoGrantedValue": _granted_value(row),
    }


def _granted_value(row: sqlite3.Row) -> int | None:
    """The value that is granted automatically, 1 by default; None without automatic grants."""
    if not row["auto_granted"]:
        return None
    return 1 if row["auto_granted_value"] is None else int(row["auto_granted_value"])


@operation("ListQualificationTypes")
def list_qualification_types(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Types whose name, description or keywords have all words of the query."""
    query, values = "SELECT * FROM qualification_types WHERE true", []
    if parameters["MustBeRequestable"]:
        query += " AND account <> '' AND status = 'Active'"
    if parameters.get("MustBeOwnedByCaller"):
        query += " AND account = ?"
        values.append(call.account)
    for word in parameters.get("Query", "").split():
        query += " AND instr(lower(name || ' ' || description || ' ' || coalesce(keywords, '')), ?)"
        values.append(word.lower())
    rows, answer = list_page(call, parameters, query, *values)
    shown_rows = [
        qualification_type_structure(row)
        | ({} if row["account"] == call.account else {"Test": None, "AnswerKey": None})
        for row in rows
    ]
    return {**answer, "QualificationTypes": shown_rows}
