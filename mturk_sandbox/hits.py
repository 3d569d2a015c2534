"""Creating, reading and listing HITs. `hit_changes` has their later changes."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from mturk_sandbox.accounts import update_hold
from mturk_sandbox.context import Context, OperationCall, Parameters, new_id, operation
from mturk_sandbox.errors import does_not_exist, hit_already_exists, invalid
from mturk_sandbox.hit_types import (
    MAX_SECONDS,
    MIN_SECONDS,
    check_range,
    find_or_create_hit_type,
    own_hit_type,
)
from mturk_sandbox.money import assignment_fee
from mturk_sandbox.notifications import notify
from mturk_sandbox.paging import list_page
from mturk_sandbox.questions import read_question
from mturk_sandbox.requirements import requires_masters
from mturk_sandbox.tokens import find_earlier_request, store_token

MAX_ASSIGNMENTS = 1_000_000_000
MAX_ANNOTATION_CHARACTERS = 255
PURPOSE = "CreateHIT"


@operation("CreateHIT")
def create_hit(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Create a HIT and, if necessary, its type."""
    _reject_repeated_token(call, parameters)
    return _create(call, find_or_create_hit_type(call, parameters), parameters)


@operation("CreateHITWithHITType")
def create_hit_with_hit_type(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Create a HIT of an existing type."""
    _reject_repeated_token(call, parameters)
    return _create(call, own_hit_type(call, parameters["HITTypeId"]), parameters)


def _reject_repeated_token(call: OperationCall, parameters: Parameters) -> None:
    earlier = find_earlier_request(call, PURPOSE, parameters.get("UniqueRequestToken"))
    if earlier is not None:
        raise hit_already_exists(earlier["made"])


def _create(call: OperationCall, hit_type: sqlite3.Row, parameters: Parameters) -> dict[str, Any]:
    if "Question" not in parameters:
        raise invalid("A Question is needed; the sandbox has no layouts.")
    question = parameters["Question"]
    read_question(question, local_http=call.options.local_http)
    max_assignments = parameters.get("MaxAssignments", 1)
    check_range("MaxAssignments", max_assignments, 1, MAX_ASSIGNMENTS)
    lifetime = parameters["LifetimeInSeconds"]
    check_range("LifetimeInSeconds", lifetime, MIN_SECONDS, MAX_SECONDS)
    annotation = parameters.get("RequesterAnnotation")
    if annotation is not None and len(annotation) > MAX_ANNOTATION_CHARACTERS:
        raise invalid(f"RequesterAnnotation is longer than {MAX_ANNOTATION_CHARACTERS} characters.")
    hit_id = new_id()
    call.run(
        "INSERT INTO hits (id, account, type_id, created, question, annotation, max_assignments,"
        " fee, expiration, active) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        hit_id,
        call.account,
        hit_type["id"],
        call.now,
        question,
        annotation,
        max_assignments,
        hit_fee(hit_type, max_assignments),
        call.now + lifetime,
        call.now,
    )
    update_hold(call, hit_id)
    store_token(call, PURPOSE, parameters.get("UniqueRequestToken"), hit_id)
    notify(call, hit_id, "HITCreated")
    return {"HIT": hit_structure(call, own_hit(call, hit_id))}


def hit_fee(kind: sqlite3.Row, max_assignments: int) -> int:
    """The fee for one assignment of a HIT of this type with `max_assignments` assignments."""
    masters = requires_masters(json.loads(kind["requirements"]))
    return assignment_fee(kind["reward"], max_assignments, masters=masters)


def own_hit(call: OperationCall, hit_id: str) -> sqlite3.Row:
    """The caller's HIT with its state and counts. Raises a TurkError."""
    row = call.one("SELECT * FROM hit_states WHERE id = ? AND account = ?", hit_id, call.account)
    if row is None:
        raise does_not_exist("HIT", hit_id)
    return row


def hit_structure(context: Context, hit: sqlite3.Row) -> dict[str, Any]:
    """A row of hit_states as the API's HIT structure."""
    kind = context.one("SELECT * FROM hit_types WHERE id = ?", hit["type_id"])
    assert kind is not None
    return {
        "HITId": hit["id"],
        "HITTypeId": kind["id"],
        "HITGroupId": kind["group_id"],
        "CreationTime": hit["created"],
        "Title": kind["title"],
        "Description": kind["description"],
        "Question": hit["question"],
        "Keywords": kind["keywords"],
        "HITStatus": hit["status"],
        "MaxAssignments": hit["max_assignments"],
        "Reward": kind["reward_text"],
        "AutoApprovalDelayInSeconds": kind["auto_approval"],
        "Expiration": hit["expiration"],
        "AssignmentDurationInSeconds": kind["duration"],
        "RequesterAnnotation": hit["annotation"],
        "QualificationRequirements": json.loads(kind["requirements"]),
        "HITReviewStatus": "NotReviewed",
        "NumberOfAssignmentsPending": hit["pending"],
        "NumberOfAssignmentsAvailable": hit["open"],
        "NumberOfAssignmentsCompleted": hit["completed"],
    }


@operation("GetHIT")
def get_hit(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Any HIT of the caller's, deleted ones included."""
    return {"HIT": hit_structure(call, own_hit(call, parameters["HITId"]))}


@operation("ListHITs")
def list_hits(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """All HITs that were not deleted, the newest first."""
    query = "SELECT * FROM hit_states WHERE account = ? AND NOT disposed"
    rows, answer = list_page(call, parameters, query, call.account, newest_first=True)
    return {**answer, "HITs": [hit_structure(call, row) for row in rows]}
