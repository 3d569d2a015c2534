"""HIT types: shared properties of HITs; equal values make the same type."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from typing import Any

from mturk_sandbox.context import OperationCall, Parameters, new_id, operation
from mturk_sandbox.errors import does_not_exist, invalid
from mturk_sandbox.money import cents, dollars
from mturk_sandbox.requirements import check_requirements

MIN_SECONDS, MAX_SECONDS = 30, 31_536_000
MAX_AUTO_APPROVAL_SECONDS = 2_592_000
MAX_LENGTHS = {"Title": 128, "Description": 2000, "Keywords": 1000}


@operation("CreateHITType")
def create_hit_type(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Create a type, or return the existing one with these values."""
    return {"HITTypeId": find_or_create_hit_type(call, parameters)["id"]}


def find_or_create_hit_type(call: OperationCall, parameters: Parameters) -> sqlite3.Row:
    """The type with these properties, created if it does not exist. Raises a TurkError."""
    for name, max_length in MAX_LENGTHS.items():
        text = parameters.get(name, "")
        if len(text) > max_length:
            raise invalid(f"{name} is {len(text)} characters long; the maximum is {max_length}.")
        if name != "Keywords" and not text.strip():
            raise invalid(f"{name} is empty.")
    duration = parameters["AssignmentDurationInSeconds"]
    check_range("AssignmentDurationInSeconds", duration, MIN_SECONDS, MAX_SECONDS)
    approval = parameters.get("AutoApprovalDelayInSeconds", MAX_AUTO_APPROVAL_SECONDS)
    check_range("AutoApprovalDelayInSeconds", approval, 0, MAX_AUTO_APPROVAL_SECONDS)
    reward = cents(parameters["Reward"])
    checked = check_requirements(call, parameters.get("QualificationRequirements", []))
    requirements = json.dumps(checked, sort_keys=True)
    values = (
        parameters["Title"],
        parameters["Description"],
        parameters.get("Keywords"),
        reward,
        dollars(reward),
        approval,
        duration,
        requirements,
    )
    fingerprint = hashlib.sha256(repr(values).encode()).hexdigest()
    select_type = "SELECT * FROM hit_types WHERE account = ? AND fingerprint = ?"
    if call.one(select_type, call.account, fingerprint) is None:
        call.run(
            "INSERT INTO hit_types (id, account, group_id, fingerprint, title, description,"
            " keywords, reward, reward_text, auto_approval, duration, requirements)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *(new_id(), call.account, new_id(), fingerprint, *values),
        )
    row = call.one(select_type, call.account, fingerprint)
    assert row is not None
    return row


def check_range(name: str, value: int, minimum: int, maximum: int) -> None:
    """Raise a TurkError for a number outside its limits."""
    if not minimum <= value <= maximum:
        raise invalid(f"{name} is {value}; it is between {minimum} and {maximum}.")


def own_hit_type(call: OperationCall, type_id: str) -> sqlite3.Row:
    """The caller's type of this ID. Raises a TurkError."""
    row = call.one("SELECT * FROM hit_types WHERE id = ? AND account = ?", type_id, call.account)
    if row is None:
        raise does_not_exist("HITType", type_id)
    return row
