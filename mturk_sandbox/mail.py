"""What MTurk e-mails to workers, kept for their dashboard; and NotifyWorkers."""

from __future__ import annotations

from typing import Any

from mturk_sandbox.errors import invalid
from mturk_sandbox.world import Call, Parameters, World, operation

MOST_WORKERS, MOST_SUBJECT, MOST_TEXT = 100, 200, 4096


def send_mail(world: World, worker_id: str, subject: str, body: str) -> None:
    query = "INSERT INTO mail (worker_id, time, subject, body) VALUES (?, ?, ?, ?)"
    world.run(query, worker_id, world.now, subject, body)


@operation("NotifyWorkers")
def notify_workers(call: Call, parameters: Parameters) -> dict[str, Any]:
    """A message to workers whose work the caller has reviewed; the others are failures."""
    workers = parameters["WorkerIds"]
    if not 1 <= len(workers) <= MOST_WORKERS:
        raise invalid(f"1 to {MOST_WORKERS} WorkerIds can be notified at a time.")
    for name, most in (("Subject", MOST_SUBJECT), ("MessageText", MOST_TEXT)):
        if not 1 <= len(parameters[name]) <= most:
            raise invalid(f"{name} has 1 to {most} characters.")
    failures = []
    for worker in workers:
        if _reviewed(call, worker):
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


def _reviewed(call: Call, worker: str) -> bool:
    found = call.one(
        "SELECT 1 FROM assignments a JOIN hits h ON h.id = a.hit_id"
        " WHERE a.worker_id = ? AND h.account = ? AND a.status IN ('Approved', 'Rejected')",
        worker,
        call.account,
    )
    return found is not None
