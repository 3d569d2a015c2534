"""Changes of a HIT by its requester: more assignments, expiration, deletion."""

from __future__ import annotations

import sqlite3
from typing import Any

from mturk_sandbox.accounts import update_hold
from mturk_sandbox.context import OperationCall, Parameters, operation
from mturk_sandbox.errors import already_processed, invalid, request_error, wrong_state
from mturk_sandbox.hit_types import MAX_SECONDS, check_range
from mturk_sandbox.hits import MAX_ASSIGNMENTS, own_hit
from mturk_sandbox.lifecycle import dispose, expire, record_change
from mturk_sandbox.money import MANY_ASSIGNMENTS
from mturk_sandbox.notifications import notify
from mturk_sandbox.tokens import find_earlier_request, store_token

PURPOSE = "CreateAdditionalAssignmentsForHIT"


@operation("CreateAdditionalAssignmentsForHIT")
def create_additional_assignments(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Add assignments to a HIT; one created with fewer than ten must stay below ten."""
    token = parameters.get("UniqueRequestToken")
    earlier = find_earlier_request(call, PURPOSE, token)
    if earlier is not None:
        raise already_processed(str(token), earlier["request_id"])
    hit = _undeleted_hit(call, parameters["HITId"])
    additional = parameters["NumberOfAdditionalAssignments"]
    check_range("NumberOfAdditionalAssignments", additional, 1, MAX_ASSIGNMENTS)
    total = hit["max_assignments"] + additional
    check_range("MaxAssignments", total, 1, MAX_ASSIGNMENTS)
    if hit["max_assignments"] < MANY_ASSIGNMENTS <= total:
        raise request_error(
            "InvalidMaximumAssignmentsIncrease",
            f"HITs created with fewer than {MANY_ASSIGNMENTS} assignments cannot be extended to "
            f"have {MANY_ASSIGNMENTS} or more assignments.",
        )
    call.run("UPDATE hits SET max_assignments = ? WHERE id = ?", total, hit["id"])
    update_hold(call, hit["id"])
    store_token(call, PURPOSE, token, hit["id"])
    notify(call, hit["id"], "HITExtended")
    record_change(call, hit["id"])
    return {}


@operation("UpdateExpirationForHIT")
def update_expiration(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Set another expiration; a time in the past expires the HIT at once."""
    hit = _undeleted_hit(call, parameters["HITId"])
    end = parameters["ExpireAt"]
    if end > hit["created"] + MAX_SECONDS + MAX_SECONDS:
        raise invalid(f"ExpireAt is more than {MAX_SECONDS} seconds ahead.")
    call.run("UPDATE hits SET expiration = ? WHERE id = ?", end, hit["id"])
    if end <= call.now:
        if not hit["expired"]:
            expire(call, hit["id"], at=call.now)
        return {}
    extended = end > hit["expiration"]
    call.run("UPDATE hits SET expired = 0 WHERE id = ?", hit["id"])
    update_hold(call, hit["id"])
    if extended:
        notify(call, hit["id"], "HITExtended")
    record_change(call, hit["id"])
    return {}


@operation("DeleteHIT")
def delete_hit(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Delete a reviewable HIT whose assignments are all reviewed."""
    hit = own_hit(call, parameters["HITId"])
    if hit["status"] != "Reviewable":
        raise wrong_state("HIT", hit["status"], "Reviewable")
    if hit["submitted"]:
        raise request_error(
            "InvalidHITState",
            f"HIT {hit['id']} has {hit['submitted']} submitted assignments that are neither "
            "approved nor rejected.",
        )
    dispose(call, hit["id"], at=call.now)
    return {}


def _undeleted_hit(call: OperationCall, hit_id: str) -> sqlite3.Row:
    """The caller's HIT, unless it was deleted. Raises a TurkError."""
    hit = own_hit(call, hit_id)
    if hit["disposed"]:
        raise wrong_state("HIT", "Disposed", "Assignable, Unassignable, Reviewable")
    return hit
