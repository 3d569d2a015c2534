"""Requesters' money: a balance, an amount on hold, and a ledger that only grows.

The reward and fee of every assignment that workers could still take, do or be paid for is on hold;
approving pays it out, and what nobody can take any more is released.
"""

from __future__ import annotations

import hashlib
import sqlite3
from typing import Any

from mturk_sandbox.context import Call, Context, Parameters, operation
from mturk_sandbox.errors import insufficient_funds
from mturk_sandbox.money import dollars

INSERT_LEDGER_ENTRY = (
    "INSERT INTO ledger (account, time, kind, available, held, hit_id, assignment_id, worker_id,"
    " bonus_id) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
)


def open_account(context: Context, account: str) -> None:
    """Make the account of an access key ID, with its deposit, where it is not there yet."""
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
    """Write a line of the ledger and move the balances by it; lines of nothing are not written.

    `about` are hit_id, assignment_id, worker_id and bonus_id. Raises a TurkError when the balance
    would fall below zero and may not.
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
    """Bring what is on hold for a HIT to what it can still cost.

    That is the reward and fee of each open place, and of each assignment in hand or submitted at
    the price it was accepted at. Raises a TurkError when the balance does not cover a rise; what a
    worker or the clock does goes `into_debt` instead (a place given back on a HIT whose reward was
    raised meanwhile), since there is nobody to refuse it to.
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
def get_account_balance(call: Call, parameters: Parameters) -> dict[str, Any]:
    """The balance without what is on hold, of which MTurk says nothing (the ledger does here).

    Amazon's own sandbox says 10000.00 always.
    """
    available = call.number("SELECT available FROM accounts WHERE id = ?", call.account)
    return {"AvailableBalance": dollars(max(0, available))}
