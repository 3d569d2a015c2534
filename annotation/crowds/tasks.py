"""Celery tasks of crowds. They take primary keys; the services do the work.

Each task may be delivered twice: calls are claimed one by one, and reports of a provider are
recorded once.
"""

from __future__ import annotations

from celery import Task
from django.utils.timezone import now

from annotation.crowds.services import scheduling
from core.jobs import periodic, row_task, send_after_commit


@row_task("annotation.tasks.make_crowd_calls")
def make_crowd_calls(publication_id: int) -> None:
    """Make the calls of a publication's outbox. While its platform is busy, the task is sent again
    for later, and the worker is free."""
    result = scheduling.make_calls(publication_id)
    if result is not None and result.again_at is not None:
        make_crowd_calls.apply_async((publication_id,), eta=result.again_at)


@row_task("annotation.tasks.sync_crowd")
def sync_crowd(publication_id: int) -> None:
    """Record what the provider reports, and make the calls that follow from it."""
    scheduling.sync_publication(publication_id, at=now())
    make_crowd_calls(publication_id)


def after_commit(task: Task[[int], None], publication_id: int) -> None:
    """Send a task when the transaction has committed."""
    send_after_commit(lambda: task.delay(publication_id))


@periodic(every=20.0)
def sweep() -> None:
    """Send tasks for due calls, including those whose task was lost or whose worker died, and for
    due syncs."""
    for publication_id in scheduling.publications_with_due_calls(at=now()):
        make_crowd_calls.delay(publication_id)
    for publication_id in scheduling.claim_due_syncs(at=now()):
        sync_crowd.delay(publication_id)
