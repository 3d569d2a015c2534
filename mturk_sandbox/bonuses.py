"""Bonuses: payments to workers beyond the reward."""

from __future__ import annotations

from typing import Any

from mturk_sandbox.accounts import add_ledger_entry
from mturk_sandbox.assignments import own_assignment
from mturk_sandbox.context import OperationCall, Parameters, new_id, operation
from mturk_sandbox.errors import already_processed, invalid
from mturk_sandbox.hits import own_hit
from mturk_sandbox.money import bonus_fee, cents, dollars
from mturk_sandbox.paging import list_page
from mturk_sandbox.tokens import find_earlier_request, store_token

PURPOSE = "SendBonus"
MAX_BONUS_CENTS = 1_000_000


@operation("SendBonus")
def send_bonus(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Pay a worker who submitted the assignment; never twice for one UniqueRequestToken."""
    token = parameters.get("UniqueRequestToken")
    earlier = find_earlier_request(call, PURPOSE, token)
    if earlier is not None:
        raise already_processed(str(token), earlier["request_id"])
    row = own_assignment(call, parameters["AssignmentId"])
    worker = parameters["WorkerId"]
    if row["worker_id"] != worker:
        raise invalid(f"Assignment {row['id']} was not submitted by Worker {worker}.")
    amount = cents(parameters["BonusAmount"])
    if not 1 <= amount <= MAX_BONUS_CENTS:
        raise invalid(f"BonusAmount is between 0.01 and {dollars(MAX_BONUS_CENTS)}.")
    if not parameters["Reason"].strip():
        raise invalid("Reason is empty.")
    bonus_id, fee = new_id(), bonus_fee(amount)
    call.run(
        "INSERT INTO bonuses (id, account, worker_id, assignment_id, hit_id, amount, amount_text,"
        " fee, reason, granted) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        *(bonus_id, call.account, worker, row["id"], row["hit_id"]),
        *(amount, dollars(amount), fee, parameters["Reason"], call.now),
    )
    about = {
        "hit_id": row["hit_id"],
        "assignment_id": row["id"],
        "worker_id": worker,
        "bonus_id": bonus_id,
    }
    add_ledger_entry(call, call.account, "bonus", available=-amount, **about)
    add_ledger_entry(call, call.account, "bonus_fee", available=-fee, **about)
    store_token(call, PURPOSE, token, bonus_id)
    return {}


@operation("ListBonusPayments")
def list_bonus_payments(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """The bonuses of a HIT or of an assignment; one of the two parameters is required."""
    query, values = "SELECT * FROM bonuses WHERE account = ?", [call.account]
    if "AssignmentId" in parameters:
        query += " AND assignment_id = ?"
        values.append(own_assignment(call, parameters["AssignmentId"])["id"])
    elif "HITId" in parameters:
        query += " AND hit_id = ?"
        values.append(own_hit(call, parameters["HITId"])["id"])
    else:
        raise invalid("Either a HITId or an AssignmentId is needed.")
    rows, answer = list_page(call, parameters, query, *values)
    payments = [
        {
            "WorkerId": row["worker_id"],
            "BonusAmount": row["amount_text"],
            "AssignmentId": row["assignment_id"],
            "Reason": row["reason"],
            "GrantTime": row["granted"],
        }
        for row in rows
    ]
    return {**answer, "BonusPayments": payments}
