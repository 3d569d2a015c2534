"""Workers that a requester has blocked."""

from __future__ import annotations

from typing import Any

from mturk_sandbox.context import Context, OperationCall, Parameters, operation
from mturk_sandbox.errors import does_not_exist, request_error
from mturk_sandbox.paging import list_page

MAX_BLOCKS = 100_000


def require_worker(context: Context, worker_id: str) -> None:
    """Raise a TurkError for an unknown worker."""
    if context.one("SELECT 1 FROM workers WHERE id = ?", worker_id) is None:
        raise does_not_exist("Worker", worker_id)


def is_blocked(context: Context, account: str, worker_id: str) -> bool:
    query = "SELECT 1 FROM blocks WHERE account = ? AND worker_id = ?"
    return context.one(query, account, worker_id) is not None


@operation("CreateWorkerBlock")
def create_worker_block(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Block a worker from the caller's HITs; a second call changes the reason."""
    worker = parameters["WorkerId"]
    require_worker(call, worker)
    if call.number("SELECT COUNT(*) FROM blocks WHERE account = ?", call.account) >= MAX_BLOCKS:
        raise request_error("ExceedsMaxBlocks", f"You can block up to {MAX_BLOCKS} Workers.")
    call.run(
        "INSERT INTO blocks (account, worker_id, reason) VALUES (?, ?, ?)"
        " ON CONFLICT (account, worker_id) DO UPDATE SET reason = excluded.reason",
        call.account,
        worker,
        parameters["Reason"],
    )
    return {}


@operation("DeleteWorkerBlock")
def delete_worker_block(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Unblock a worker; one who is not blocked is not an error."""
    query = "DELETE FROM blocks WHERE account = ? AND worker_id = ?"
    call.run(query, call.account, parameters["WorkerId"])
    return {}


@operation("ListWorkerBlocks")
def list_worker_blocks(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """All blocked workers with the reasons."""
    query = "SELECT * FROM blocks WHERE account = ?"
    rows, answer = list_page(call, parameters, query, call.account)
    blocks = [{"WorkerId": row["worker_id"], "Reason": row["reason"]} for row in rows]
    return {**answer, "WorkerBlocks": blocks}
