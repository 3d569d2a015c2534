"""Requesters' money: a balance, an amount on hold, and a ledger that only grows.

The reward and fee of every assignment that workers could still take, do or be paid for is on hold;
approving pays it out, and what nobody can take any more is released.
"""

from __future__ import annotations

import hashlib
import sqlite3
from typing import Any

from mturk_sandbox.errors import insufficient_funds
from mturk_sandbox.money import dollars
from mturk_sandbox.world import Call, Parameters, World, operation

ENTRY = (
    "INSERT INTO ledger (account, time, kind, available, held, hit_id, assignment_id, worker_id,"
    " bonus_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def open_account(world: World, account: str) -> None:
    """Make the account of an access key ID, with its deposit, where it is not there yet."""
    if world.one("SELECT 1 FROM accounts WHERE id = ?", account):
        return
    customer = "A" + hashlib.sha256(account.encode()).hexdigest()[:13].upper()
    query = "INSERT INTO accounts (id, customer_id, created) VALUES (?, ?, ?)"
    world.run(query, account, customer, world.now)
    enter(world, account, "deposit", available=world.options.balance_cents)


def enter(
    world: World,
    account: str,
    kind: str,
    *,
    available: int = 0,
    held: int = 0,
    at: float | None = None,
    into_debt: bool = False,
    **about: Any,
) -> None:
    """Write a line of the ledger and move the balances by it; lines of nothing are not written.

    `about` are hit_id, assignment_id, worker_id and bonus_id. Raises a TurkError when the balance
    would fall below zero and may not.
    """
    if not available and not held:
        return
    if available < 0 and not into_debt and _available(world, account) + available < 0:
        raise insufficient_funds()
    names = ("hit_id", "assignment_id", "worker_id", "bonus_id")
    time = world.now if at is None else at
    world.run(ENTRY, account, time, kind, available, held, *(about.get(name) for name in names))
    query = "UPDATE accounts SET available = available + ?, held = held + ? WHERE id = ?"
    world.run(query, available, held, account)


def _available(world: World, account: str) -> int:
    return world.number("SELECT available FROM accounts WHERE id = ?", account)


def hold_for(
    world: World, hit_id: str, *, at: float | None = None, into_debt: bool = False
) -> None:
    """Bring what is on hold for a HIT to what it can still cost.

    That is the reward and fee of each open place, and of each assignment in hand or submitted at
    the price it was accepted at. Raises a TurkError when the balance does not cover a rise; what a
    worker or the clock does goes `into_debt` instead (a place given back on a HIT whose reward was
    raised meanwhile), since there is nobody to refuse it to.
    """
    hit = world.one(
        "SELECT h.account, h.held, h.open * (t.reward + h.fee) AS open_cost FROM hit_states h"
        " JOIN hit_types t ON t.id = h.type_id WHERE h.id = ?",
        hit_id,
    )
    assert hit is not None
    promised = world.number(
        "SELECT SUM(reward + fee) FROM assignments"
        " WHERE hit_id = ? AND status IN ('Accepted', 'Submitted')",
        hit_id,
    )
    rise = int(hit["open_cost"]) + promised - int(hit["held"])
    kind = "hold" if rise > 0 else "release"
    enter(
        world,
        hit["account"],
        kind,
        available=-rise,
        held=rise,
        at=at,
        into_debt=into_debt,
        hit_id=hit_id,
    )
    world.run("UPDATE hits SET held = held + ? WHERE id = ?", rise, hit_id)


def pay_reward(world: World, account: str, assignment: sqlite3.Row, *, at: float) -> None:
    """Pay an assignment's reward and fee: from what is on hold, or from the balance if rejected."""
    on_hold = assignment["status"] == "Submitted"
    about = {
        "hit_id": assignment["hit_id"],
        "assignment_id": assignment["id"],
        "worker_id": assignment["worker_id"],
    }
    for kind, amount in (("reward", assignment["reward"]), ("reward_fee", assignment["fee"])):
        held, available = (-amount, 0) if on_hold else (0, -amount)
        enter(world, account, kind, held=held, available=available, at=at, **about)
    if on_hold:
        paid = assignment["reward"] + assignment["fee"]
        world.run("UPDATE hits SET held = held - ? WHERE id = ?", paid, assignment["hit_id"])


@operation("GetAccountBalance")
def get_account_balance(call: Call, parameters: Parameters) -> dict[str, Any]:
    """The balance without what is on hold, of which MTurk says nothing (the ledger does here).

    Amazon's own sandbox says 10000.00 always.
    """
    available = call.number("SELECT available FROM accounts WHERE id = ?", call.account)
    return {"AvailableBalance": dollars(max(0, available))}
