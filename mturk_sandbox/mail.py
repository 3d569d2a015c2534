"""E-mails to workers, stored for their dashboard, and NotifyWorkers."""

from __future__ import annotations

from typing import Any

from mturk_sandbox.context import Context, OperationCall, Parameters, operation
from mturk_sandbox.errors import invalid

MAX_WORKERS, MAX_SUBJECT_CHARACTERS, MAX_TEXT_CHARACTERS = 100, 200, 4096


def send_mail(context: Context, worker_id: str, subject: str, body: str) -> None:
    query = "INSERT INTO mail (worker_id, time, subject, body) VALUES (?, ?, ?, ?)"
    context.run(query, worker_id, context.now, subject, body)


@operation("NotifyWorkers")
def notify_workers(call: OperationCall, parameters: Parameters) -> dict[str, Any]:
    """Send a message to workers whose work the caller has reviewed; the others are failures."""
    workers = parameters["WorkerIds"]
    if not 1 <= len(workers) <= MAX_WORKERS:
        raise invalid(f"1 to {MAX_WORKERS} WorkerIds can be notified at a time.")
    for name, max_length in (
        ("Subject", MAX_SUBJECT_CHARACTERS),
        ("MessageText", MAX_TEXT_CHARACTERS),
    ):
        if not 1 <= len(parameters[name]) <= max_length:
            raise invalid(f"{name} has 1 to {max_length} characters.")
    failures = []
    for worker in workers:
        if _has_reviewed(call, worker):
            send_mail(call, worker, parameters["Subject"], parameters["MessageText"])
        else:
            failures.append(
                {
                    "NotifyWorkersFailureCode": "HardFailure",
                    "NotifyWorkersFailureMessage": "You have never approved or rejected an "
                    f"assignment of Worker {worker}.",
                    "WorkerId": worker,
                }
            )
    return {"NotifyWorkersFailureStatuses": failures}


def _has_reviewed(call: OperationCall, worker: str) -> bool:
    row = call.one(
        "SELECT 1 FROM assignments a JOIN hits h ON h.id = a.hit_id"
        " WHERE a.worker_id = ? AND h.account = ? AND a.status IN ('Approved', 'Rejected')",
        worker,
        call.account,
    )
    return row is not None
