"""Events in time: assignments are abandoned or approved, HITs expire and are disposed of.

`process_due_events` runs at the start of every request. It processes each event at its due time and
in order, so the result does not depend on the times of requests.
"""

from __future__ import annotations

import sqlite3

from mturk_sandbox.accounts import pay_reward, update_hold
from mturk_sandbox.context import Context
from mturk_sandbox.notifications import notify

DISPOSAL_SECONDS = 120 * 86_400
NEXT_DUE_EVENT = """
    SELECT 'abandon' AS what, id, due FROM (SELECT id, deadline AS due FROM assignments
        WHERE status = 'Accepted' AND deadline <= :now ORDER BY deadline LIMIT 1)
    UNION ALL SELECT 'approve', id, due FROM (SELECT id, auto_approval AS due FROM assignments
        WHERE status = 'Submitted' AND auto_approval <= :now ORDER BY auto_approval LIMIT 1)
    UNION ALL SELECT 'expire', id, due FROM (SELECT id, expiration AS due FROM hits
        WHERE expired = 0 AND disposed = 0 AND expiration <= :now ORDER BY expiration LIMIT 1)
    UNION ALL SELECT 'dispose', id, due FROM (SELECT id, active + :disposal AS due FROM hits
        WHERE disposed = 0 AND active <= :now - :disposal
        AND EXISTS (SELECT 1 FROM hit_states s WHERE s.id = hits.id
            AND s.status = 'Reviewable' AND s.submitted = 0)
        ORDER BY active LIMIT 1)
    ORDER BY due LIMIT 1"""


def process_due_events(context: Context) -> None:
    """Process all events that are due, in order of their times."""
    values = {"now": context.now, "disposal": DISPOSAL_SECONDS}
    while due := context.db.execute(NEXT_DUE_EVENT, values).fetchone():
        if due["what"] == "abandon":
            end_assignment(context, due["id"], "Abandoned", at=due["due"])
        elif due["what"] == "approve":
            approve(context, assignment_row(context, due["id"]), feedback=None, at=due["due"])
        elif due["what"] == "expire":
            expire(context, due["id"], at=due["due"])
        else:
            dispose(context, due["id"], at=due["due"])


def assignment_row(context: Context, assignment_id: str) -> sqlite3.Row:
    """An assignment with its HIT's account."""
    row = context.one(
        "SELECT a.*, h.account, h.disposed FROM assignments a JOIN hits h ON h.id = a.hit_id"
        " WHERE a.id = ?",
        assignment_id,
    )
    assert row is not None
    return row


def end_assignment(context: Context, assignment_id: str, status: str, *, at: float) -> None:
    """Set the status Returned or Abandoned, and reopen the slot or release its amount on hold."""
    row = assignment_row(context, assignment_id)
    query = "UPDATE assignments SET status = ?, ended = ? WHERE id = ?"
    context.run(query, status, at, assignment_id)
    update_hold(context, row["hit_id"], at=at, into_debt=True)
    event = f"Assignment{status}"
    notify(context, row["hit_id"], event, assignment_id=assignment_id, at=at)
    record_change(context, row["hit_id"], at=at)


def approve(context: Context, assignment: sqlite3.Row, *, feedback: str | None, at: float) -> None:
    """Pay a submitted or rejected assignment. Raises a TurkError when the balance is short."""
    pay_reward(context, assignment["account"], assignment, at=at)
    context.run(
        "UPDATE assignments SET status = 'Approved', approved = ?, feedback = coalesce(?, feedback)"
        " WHERE id = ?",
        at,
        feedback,
        assignment["id"],
    )
    notify(
        context, assignment["hit_id"], "AssignmentApproved", assignment_id=assignment["id"], at=at
    )
    record_change(context, assignment["hit_id"], at=at)


def expire(context: Context, hit_id: str, *, at: float) -> None:
    """End a HIT's lifetime and release the amount on hold for open assignments."""
    before = context.one("SELECT status FROM hit_states WHERE id = ?", hit_id)
    assert before is not None
    context.run("UPDATE hits SET expired = 1 WHERE id = ?", hit_id)
    update_hold(context, hit_id, at=at, into_debt=True)
    if before["status"] in ("Assignable", "Unassignable"):
        notify(context, hit_id, "HITExpired", at=at)
    record_change(context, hit_id, at=at)


def dispose(context: Context, hit_id: str, *, at: float) -> None:
    """Delete a HIT, which removes it from all lists."""
    context.run("UPDATE hits SET disposed = 1 WHERE id = ?", hit_id)
    update_hold(context, hit_id, at=at, into_debt=True)
    notify(context, hit_id, "HITDisposed", at=at)


def record_change(context: Context, hit_id: str, *, at: float | None = None) -> None:
    """Store the time of a change, and notify once when a HIT becomes reviewable."""
    moment = context.now if at is None else at
    context.run("UPDATE hits SET active = max(active, ?) WHERE id = ?", moment, hit_id)
    hit = context.one("SELECT * FROM hit_states WHERE id = ?", hit_id)
    assert hit is not None
    if hit["status"] in ("Assignable", "Unassignable"):
        context.run("UPDATE hits SET announced = 0 WHERE id = ?", hit_id)
    elif hit["status"] == "Reviewable" and not hit["announced"]:
        context.run("UPDATE hits SET announced = 1 WHERE id = ?", hit_id)
        notify(context, hit_id, "HITReviewable", at=moment)
