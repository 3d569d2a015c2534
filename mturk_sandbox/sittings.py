"""How a worker comes by a qualification: at once, by a test, or by the requester's word.

A type without RetryDelayInSeconds can be asked for once; with it, again that long after the last
time. A test that was started and not handed in is an attempt as well.
"""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from mturk_sandbox.answer_keys import read_answer_key
from mturk_sandbox.answers import selected
from mturk_sandbox.blocks import is_blocked
from mturk_sandbox.qualification_types import is_requestable
from mturk_sandbox.qualifications import grant
from mturk_sandbox.questions import read_test, selection_identifiers
from mturk_sandbox.work import WorkError
from mturk_sandbox.world import World, new_id


@dataclass(frozen=True)
class Sitting:
    """Where a worker stands with a type.

    value: of the qualification, None without it. running: the test being taken. obstacle: why it
    cannot be asked for now, empty when it can.
    """

    kind: sqlite3.Row
    value: int | None
    running: sqlite3.Row | None
    obstacle: str


def situation(world: World, worker_id: str, type_id: str) -> Sitting:
    """Where the worker stands now. Raises a WorkError for a type that is not there."""
    query = "SELECT * FROM qualification_types WHERE id = ? AND NOT deleted"
    kind = world.one(query, type_id)
    if kind is None:
        raise WorkError("There is no such qualification.", 404)
    held = world.one(
        "SELECT value FROM qualifications"
        " WHERE type_id = ? AND worker_id = ? AND status = 'Granted'",
        type_id,
        worker_id,
    )
    last = world.one(
        "SELECT * FROM qualification_requests WHERE type_id = ? AND worker_id = ?"
        " ORDER BY seq DESC LIMIT 1",
        type_id,
        worker_id,
    )
    running = last is not None and last["status"] == "Sitting" and world.now < last["deadline"]
    return Sitting(
        kind,
        None if held is None else held["value"],
        last if running else None,
        "" if running else _obstacle(world, kind, worker_id, last),
    )


def _obstacle(world: World, kind: sqlite3.Row, worker_id: str, last: sqlite3.Row | None) -> str:
    if not is_requestable(kind):
        return "This qualification cannot be requested."
    if is_blocked(world, kind["account"], worker_id):
        return "This requester has blocked you."
    if last is None:
        return ""
    if last["status"] == "Pending":
        return "You have asked for this qualification; the requester has not decided yet."
    if kind["retry_delay"] is None:
        return "You have asked for this qualification before; it can be asked for only once."
    wait = last["asked"] + kind["retry_delay"] - world.now
    if wait > 0:
        return f"You can ask for this qualification again in {int(wait) + 1} seconds."
    return ""


def ask(world: World, worker_id: str, type_id: str) -> None:
    """Ask for a qualification, or go on with its test. Raises a WorkError."""
    found = situation(world, worker_id, type_id)
    if found.running is not None:
        return
    if found.obstacle:
        raise WorkError(found.obstacle)
    kind = found.kind
    status, deadline = "Pending", None
    if kind["auto_granted"]:
        status = "Granted"
        value = kind["auto_granted_value"]
        grant(world, type_id, worker_id, 1 if value is None else value)
    elif kind["test"] is not None:
        status, deadline = "Sitting", world.now + kind["test_duration"]
    world.run(
        "INSERT INTO qualification_requests (id, type_id, worker_id, status, asked, deadline,"
        " submitted, test, answer_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        *(new_id(), type_id, worker_id, status, world.now, deadline),
        world.now if status == "Pending" else None,
        kind["test"],
        kind["answer_key"],
    )


def hand_in(world: World, sitting: Sitting, answer: str) -> None:
    """Hand in a running test: granted with its score, or pending where there is no answer key."""
    kind, running = sitting.kind, sitting.running
    if running is None:
        raise WorkError("You are not taking this test, or its time has run out.")
    status = "Pending"
    if running["answer_key"] is not None:
        form = read_test(running["test"])
        key = read_answer_key(running["answer_key"], selection_identifiers(form))
        grant(world, kind["id"], running["worker_id"], key.score(selected(answer)))
        status = "Granted"
    world.run(
        "UPDATE qualification_requests SET status = ?, submitted = ?, answer = ? WHERE id = ?",
        status,
        world.now,
        answer,
        running["id"],
    )
