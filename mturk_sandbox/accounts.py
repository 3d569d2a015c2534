"""Requesters' accounts: a balance, an amount on hold and an append-only ledger.

The reward and fee of every assignment that may still be accepted, submitted or paid are on hold.
Approval pays them; amounts that can no longer be needed are released.
"""

from __future__ import annotations

import hashlib
import sqlite3
from typing import Any

from mturk_sandbox.context import Context, OperationCall, Parameters, operation
from mturk_sandbox.errors import insufficient_funds
from mturk_sandbox.money import dollars

INSERT_LEDGER_ENTRY = (
    "INSERT INTO ledger (account, time, kind, available, held, hit_id, assignment_id, worker_id,"
    " bonus_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def open_account(context: Context, account: str) -> None:
    """Create the account of an access key ID with its deposit, if it does not exist."""
    if context.one("SELECT 1 FROM accounts WHERE id = ?", account):
        return
    customer = "A" + hashlib.sha256(account.encode()).hexdigest()[:13].upper()
    query = "INSERT INTO accounts (id, customer_id, created) VALUES (?, ?, ?)"
    context.run(query, account, customer, context.now)
    add_ledger_entry(context, account, "deposit", available=context.options.balance_cents)


def add_ledger_entry(
    context: Context,
    account: str,
    kind: str,
    *,
    available: int = 0,
    held: int = 0,
    at: float | None = None,
    into_debt: bool = False,
    **about: Any,
) -> None:
    """Add an entry to the ledger and update the balances; an entry of 0 is not written.

    `about` may have hit_id, assignment_id, worker_id and bonus_id. Raises a TurkError when the
    balance would become negative without `into_debt`.
    """
    if not available and not held:
        return
    if available < 0 and not into_debt and _available(context, account) + available < 0:
        raise insufficient_funds()
    names = ("hit_id", "assignment_id", "worker_id", "bonus_id")
    time = context.now if at is None else at
    context.run(
        INSERT_LEDGER_ENTRY,
        account,
        time,
        kind,
        available,
        held,
        *(about.get(name) for name in names),
    )
    query = "UPDATE accounts SET available = available + ?, held = held + ? WHERE id = ?"
    context.run(query, available, held, account)


def _available(context: Context, account: str) -> int:
    return context.number("SELECT available FROM accounts WHERE id = ?", account)


def update_hold(
    context: Context, hit_id: str, *, at: float | None = None, into_debt: bool = False
) -> None:
    """Set the amount on hold for a HIT to what it may still cost.

    That is the reward and fee of each open slot, and of each accepted or submitted assignment at
    the price at which it was accepted. Raises a TurkError when the balance does not cover an
    increase. Changes by a worker or by time use `into_debt` instead, because they cannot be
    rejected (such as a returned assignment of a HIT whose reward was increased in the meantime).
    """
    hit = context.one(
        "SELECT h.account, h.held, h.open * (t.reward + h.fee) AS open_cost FROM hit_states h"
        " JOIN hit_types t ON t.id = h.type_id WHERE h.id = ?",
        hit_id,
    )
    assert hit is not None
    assignments_cost = context.number(
        "SELECT SUM(reward + fee) FROM assignments"
        " WHERE hit_id = ? AND status IN ('Accepted', 'Submitted')",
        hit_id,
    )
    change = int(hit["open_cost"]) + assignments_cost - int(hit["held"])
    kind = "hold" if change > 0 else "release"
    add_ledger_entry(
        context,
        hit["account"],
        kind,
        available=-change,
        held=change,
        at=at,
        into_debt=into_debt,
        hit_id=hit_id,
    )
    context.run("UPDATE hits SET held = held + ? WHERE id = ?", change, hit_id)


def pay_reward(context: Context, account: str, assignment: sqlite3.Row, *, at: float) -> None:
    """Pay an assignment's reward and fee: from what is on hold, or from the balance if rejected."""
    on_hold = assignment["status"] == "Submitted"
    subject = {
        "hit_id": assignment["hit_id"],
        "assignment_id": assignment["id"],
        "worker_id": assignment["worker_id"],
    }
    for kind, amount in (("reward", assignment["reward"]), ("reward_fee", assignment["fee"])):
        held, available = (-amount, 0) if on_hold else (0, -amount)
        add_ledger_entry(context, account, kind, held=held, available=available, at=at, **subject)
    if on_hold:
        paid = assignment["reward"] + assignment["fee"]
        context.run("UPDATE hits SET held = held - ? WHERE id = ?", paid, assignment["hit_id"])


@operation("GetAccountBalance")
def get_account_balance(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """The balance without the amount on hold, which only the ledger shows.

    Amazon's own sandbox always returns 10000.00.
    """
    available = call.number("SELECT available FROM accounts WHERE id = ?", call.account)
    return {"AvailableBalance": dollars(max(0, available))}
