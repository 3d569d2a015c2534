"""HIT types: the properties that HITs share, the same values being the same type."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from typing import Any

from mturk_sandbox.errors import does_not_exist, invalid
from mturk_sandbox.money import cents, dollars
from mturk_sandbox.requirements import check_requirements
from mturk_sandbox.world import Call, Parameters, new_id, operation

SHORTEST, LONGEST = 30, 31_536_000
LONGEST_APPROVAL = 2_592_000
LENGTHS = {"Title": 128, "Description": 2000, "Keywords": 1000}


@operation("CreateHITType")
def create_hit_type(call: Call, parameters: Parameters) -> dict[str, Any]:
    """A new type, or the one that has these values already."""
    return {"HITTypeId": hit_type(call, parameters)["id"]}


def hit_type(call: Call, parameters: Parameters) -> sqlite3.Row:
    """The row of the type with these properties, made where there is none. Raises a TurkError."""
    for name, most in LENGTHS.items():
        text = parameters.get(name, "")
        if len(text) > most:
            raise invalid(f"{name} is {len(text)} characters long; the maximum is {most}.")
        if name != "Keywords" and not text.strip():
            raise invalid(f"{name} is empty.")
    duration = parameters["AssignmentDurationInSeconds"]
    check_span("AssignmentDurationInSeconds", duration, SHORTEST, LONGEST)
    approval = parameters.get("AutoApprovalDelayInSeconds", LONGEST_APPROVAL)
    check_span("AutoApprovalDelayInSeconds", approval, 0, LONGEST_APPROVAL)
    reward = cents(parameters["Reward"])
    asked = check_requirements(call, parameters.get("QualificationRequirements", []))
    requirements = json.dumps(asked, sort_keys=True)
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
    known = "SELECT * FROM hit_types WHERE account = ? AND fingerprint = ?"
    if call.one(known, call.account, fingerprint) is None:
        call.run(
            "INSERT INTO hit_types (id, account, group_id, fingerprint, title, description,"
            " keywords, reward, reward_text, auto_approval, duration, requirements)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            *(new_id(), call.account, new_id(), fingerprint, *values),
        )
    row = call.one(known, call.account, fingerprint)
    assert row is not None
    return row


def check_span(name: str, value: int, least: int, most: int) -> None:
    """Raise a TurkError for a number outside its limits."""
    if not least <= value <= most:
        raise invalid(f"{name} is {value}; it is between {least} and {most}.")


def own_hit_type(call: Call, type_id: str) -> sqlite3.Row:
    """The caller's type of this ID. Raises a TurkError."""
    row = call.one("SELECT * FROM hit_types WHERE id = ? AND account = ?", type_id, call.account)
    if row is None:
        raise does_not_exist("HITType", type_id)
    return row
