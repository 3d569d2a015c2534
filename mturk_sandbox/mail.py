"""E-mails to workers, stored for their dashboard."""

from __future__ import annotations

from mturk_sandbox.context import Context


def send_mail(context: Context, worker_id: str, subject: str, body: str) -> None:
    query = "INSERT INTO mail (worker_id, time, subject, body) VALUES (?, ?, ?, ?)"
    context.run(query, worker_id, context.now, subject, body)
