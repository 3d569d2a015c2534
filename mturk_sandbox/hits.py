"""HITs: created, read and listed. What changes them later is in `hit_changes`."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

from mturk_sandbox.accounts import hold_for
from mturk_sandbox.errors import does_not_exist, hit_already_exists, invalid, request_error
from mturk_sandbox.hit_types import LONGEST, SHORTEST, check_span, hit_type, own_hit_type
from mturk_sandbox.money import assignment_fee
from mturk_sandbox.notifications import announce
from mturk_sandbox.paging import page
from mturk_sandbox.questions import read_question
from mturk_sandbox.requirements import wants_masters
from mturk_sandbox.review_policies import check_policy
from mturk_sandbox.tokens import keep, seen
from mturk_sandbox.world import Call, Parameters, World, new_id, operation

MOST_ASSIGNMENTS = 1_000_000_000
MOST_ANNOTATION = 255
PURPOSE = "CreateHIT"


@operation("CreateHIT")
def create_hit(call: Call, parameters: Parameters) -> dict[str, Any]:
    """A HIT of the type that its properties make."""
    _refuse_repeat(call, parameters)
    return _create(call, hit_type(call, parameters), parameters)


@operation("CreateHITWithHITType")
def create_hit_with_hit_type(call: Call, parameters: Parameters) -> dict[str, Any]:
    """A HIT of a type that is there."""
    _refuse_repeat(call, parameters)
    return _create(call, own_hit_type(call, parameters["HITTypeId"]), parameters)


def _refuse_repeat(call: Call, parameters: Parameters) -> None:
    before = seen(call, PURPOSE, parameters.get("UniqueRequestToken"))
    if before is not None:
        raise hit_already_exists(before["made"])


def _create(call: Call, kind: sqlite3.Row, parameters: Parameters) -> dict[str, Any]:
    question = _question(call, parameters)
    most = parameters.get("MaxAssignments", 1)
    check_span("MaxAssignments", most, 1, MOST_ASSIGNMENTS)
    lifetime = parameters["LifetimeInSeconds"]
    check_span("LifetimeInSeconds", lifetime, SHORTEST, LONGEST)
    annotation = parameters.get("RequesterAnnotation")
    if annotation is not None and len(annotation) > MOST_ANNOTATION:
        raise invalid(f"RequesterAnnotation is longer than {MOST_ANNOTATION} characters.")
    policies = []
    for name in ("AssignmentReviewPolicy", "HITReviewPolicy"):
        policy = parameters.get(name)
        if policy is not None:
            check_policy(name, policy)
        policies.append(None if policy is None else json.dumps(policy))
    hit_id = new_id()
    call.run(
        "INSERT INTO hits (id, account, type_id, created, question, annotation, max_assignments,"
        " fee, expiration, active, assignment_policy, hit_policy)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        hit_id,
        call.account,
        kind["id"],
        call.now,
        question,
        annotation,
        most,
        fee_of(kind, most),
        call.now + lifetime,
        call.now,
        *policies,
    )
    hold_for(call, hit_id)
    keep(call, PURPOSE, parameters.get("UniqueRequestToken"), hit_id)
    announce(call, hit_id, "HITCreated")
    return {"HIT": shown(call, own_hit(call, hit_id))}


def fee_of(kind: sqlite3.Row, max_assignments: int) -> int:
    """The fee for one assignment of a HIT of this type with so many assignments."""
    masters = wants_masters(json.loads(kind["requirements"]))
    return assignment_fee(kind["reward"], max_assignments, masters=masters)


def _question(call: Call, parameters: Parameters) -> str:
    if "HITLayoutId" in parameters:
        # Layouts are made on Amazon's requester website only, so none can be there.
        raise request_error(
            "HITLayoutDoesNotExist", f"HITLayout {parameters['HITLayoutId']} does not exist."
        )
    if "Question" not in parameters:
        raise invalid("Either a Question or a HITLayoutId is needed.")
    question: str = parameters["Question"]
    read_question(question, local_http=call.options.local_http)
    return question


def own_hit(call: Call, hit_id: str) -> sqlite3.Row:
    """The caller's HIT with its state and counts. Raises a TurkError."""
    row = call.one("SELECT * FROM hit_states WHERE id = ? AND account = ?", hit_id, call.account)
    if row is None:
        raise does_not_exist("HIT", hit_id)
    return row


def shown(world: World, hit: sqlite3.Row) -> dict[str, Any]:
    """A row of hit_states as the API's HIT structure."""
    kind = world.one("SELECT * FROM hit_types WHERE id = ?", hit["type_id"])
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
def get_hit(call: Call, parameters: Parameters) -> dict[str, Any]:
    """Any HIT of the caller's, deleted ones included."""
    return {"HIT": shown(call, own_hit(call, parameters["HITId"]))}


@operation("ListHITs")
def list_hits(call: Call, parameters: Parameters) -> dict[str, Any]:
    """All HITs that were not deleted, the newest first."""
    query = "SELECT * FROM hit_states WHERE account = ? AND NOT disposed"
    return _listed(call, parameters, query, call.account)


@operation("ListReviewableHITs")
def list_reviewable_hits(call: Call, parameters: Parameters) -> dict[str, Any]:
    """HITs in the state Reviewable, or Reviewing, of one type or all."""
    query = "SELECT * FROM hit_states WHERE account = ? AND status = ?"
    values = [call.account, parameters.get("Status", "Reviewable")]
    if "HITTypeId" in parameters:
        query += " AND type_id = ?"
        values.append(own_hit_type(call, parameters["HITTypeId"])["id"])
    return _listed(call, parameters, query, *values)


@operation("ListHITsForQualificationType")
def list_hits_for_qualification_type(call: Call, parameters: Parameters) -> dict[str, Any]:
    """HITs that ask for a qualification, in any state but deleted."""
    type_id = parameters["QualificationTypeId"]
    if not call.one("SELECT 1 FROM qualification_types WHERE id = ?", type_id):
        raise does_not_exist("QualificationType", type_id)
    query = (
        "SELECT * FROM hit_states WHERE account = ? AND NOT disposed AND type_id IN"
        " (SELECT t.id FROM hit_types t, json_each(t.requirements) r"
        " WHERE json_extract(r.value, '$.QualificationTypeId') = ?)"
    )
    return _listed(call, parameters, query, call.account, type_id)


def _listed(call: Call, parameters: Parameters, query: str, *values: Any) -> dict[str, Any]:
    rows, answer = page(call, parameters, query, *values, newest_first=True)
    return {**answer, "HITs": [shown(call, row) for row in rows]}
