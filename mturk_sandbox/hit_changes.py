"""What a requester changes on a HIT: its places, its end, its type, its review, its deletion."""

from __future__ import annotations

import sqlite3
from typing import Any

from mturk_sandbox.accounts import hold_for
from mturk_sandbox.errors import already_processed, invalid, request_error, wrong_state
from mturk_sandbox.hit_types import LONGEST, check_span, own_hit_type
from mturk_sandbox.hits import MOST_ASSIGNMENTS, fee_of, own_hit
from mturk_sandbox.life import dispose, expire, touch
from mturk_sandbox.money import MANY
from mturk_sandbox.notifications import announce
from mturk_sandbox.tokens import keep, seen
from mturk_sandbox.world import Call, Parameters, operation

PURPOSE = "CreateAdditionalAssignmentsForHIT"


@operation("CreateAdditionalAssignmentsForHIT")
def create_additional_assignments(call: Call, parameters: Parameters) -> dict[str, Any]:
    """More places on a HIT; one that began with fewer than ten stays below ten."""
    token = parameters.get("UniqueRequestToken")
    before = seen(call, PURPOSE, token)
    if before is not None:
        raise already_processed(str(token), before["request_id"])
    hit = _living(call, parameters["HITId"])
    more = parameters["NumberOfAdditionalAssignments"]
    check_span("NumberOfAdditionalAssignments", more, 1, MOST_ASSIGNMENTS)
    total = hit["max_assignments"] + more
    check_span("MaxAssignments", total, 1, MOST_ASSIGNMENTS)
    if hit["max_assignments"] < MANY <= total:
        raise request_error(
            "InvalidMaximumAssignmentsIncrease",
            f"HITs created with fewer than {MANY} assignments cannot be extended to have {MANY} "
            "or more assignments.",
        )
    call.run("UPDATE hits SET max_assignments = ? WHERE id = ?", total, hit["id"])
    hold_for(call, hit["id"])
    keep(call, PURPOSE, token, hit["id"])
    announce(call, hit["id"], "HITExtended")
    touch(call, hit["id"])
    return {}


@operation("UpdateExpirationForHIT")
def update_expiration(call: Call, parameters: Parameters) -> dict[str, Any]:
    """Another end; a time in the past ends the HIT at once."""
    hit = _living(call, parameters["HITId"])
    end = parameters["ExpireAt"]
    if call.options.repeated_expiration_fails and hit["expiration_set"] == end:
        raise already_processed(f"{hit['id']}{int(end)}", call.request_id)
    if end > hit["created"] + LONGEST + LONGEST:
        raise invalid(f"ExpireAt is more than {LONGEST} seconds ahead.")
    query = "UPDATE hits SET expiration_set = ?, expiration = ? WHERE id = ?"
    call.run(query, end, end, hit["id"])
    if end <= call.now:
        if not hit["expired"]:
            expire(call, hit["id"], at=call.now)
        return {}
    extended = end > hit["expiration"]
    call.run("UPDATE hits SET expired = 0 WHERE id = ?", hit["id"])
    hold_for(call, hit["id"])
    if extended:
        announce(call, hit["id"], "HITExtended")
    touch(call, hit["id"])
    return {}


@operation("UpdateHITTypeOfHIT")
def update_hit_type_of_hit(call: Call, parameters: Parameters) -> dict[str, Any]:
    """Another type, with its reward for the places that are open; accepted ones keep theirs."""
    hit = _living(call, parameters["HITId"])
    kind = own_hit_type(call, parameters["HITTypeId"])
    fee = fee_of(kind, hit["max_assignments"])
    call.run("UPDATE hits SET type_id = ?, fee = ? WHERE id = ?", kind["id"], fee, hit["id"])
    hold_for(call, hit["id"])
    touch(call, hit["id"])
    return {}


@operation("UpdateHITReviewStatus")
def update_hit_review_status(call: Call, parameters: Parameters) -> dict[str, Any]:
    """From Reviewable to Reviewing, or with Revert back."""
    hit = own_hit(call, parameters["HITId"])
    revert = parameters.get("Revert", False)
    wanted = "Reviewing" if revert else "Reviewable"
    if hit["status"] != wanted:
        raise wrong_state("HIT", hit["status"], wanted)
    call.run("UPDATE hits SET reviewing = ? WHERE id = ?", not revert, hit["id"])
    return {}


@operation("DeleteHIT")
def delete_hit(call: Call, parameters: Parameters) -> dict[str, Any]:
    """Dispose of a HIT that is Reviewable and all of whose assignments are reviewed."""
    hit = own_hit(call, parameters["HITId"])
    if hit["status"] not in ("Reviewable", "Reviewing"):
        raise wrong_state("HIT", hit["status"], "Reviewing, Reviewable")
    if hit["submitted"]:
        raise request_error(
            "InvalidHITState",
            f"HIT {hit['id']} has {hit['submitted']} submitted assignments that are neither "
            "approved nor rejected.",
        )
    dispose(call, hit["id"], at=call.now)
    return {}


def _living(call: Call, hit_id: str) -> sqlite3.Row:
    """The caller's HIT, unless it was deleted. Raises a TurkError."""
    hit = own_hit(call, hit_id)
    if hit["disposed"]:
        raise wrong_state("HIT", "Disposed", "Assignable, Unassignable, Reviewable, Reviewing")
    return hit
