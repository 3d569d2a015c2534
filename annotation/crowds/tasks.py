"""Celery tasks of crowds: primary keys in, everything else in the services.

Delivered twice, each works once: a publication's calls are claimed one by one, and what a provider
reports is recorded once however often it is reported.
"""

from __future__ import annotations

from celery import Task
from django.db import transaction
from django.utils.timezone import now

from annotation.crowds.services import running
from core.jobs import periodic, row_task


@row_task("annotation.tasks.make_crowd_calls")
def make_crowd_calls(publication_id: int) -> None:
    """Make the calls of a publication's outbox."""
    running.work(publication_id)


@row_task("annotation.tasks.sync_crowd")
def sync_crowd(publication_id: int) -> None:
    """Take in what the provider says, and make the calls that follow from it."""
    running.reconcile(publication_id, at=now())
    running.work(publication_id)


def after_commit(task: Task[[int], None], publication_id: int) -> None:
    """Send a task when the transaction has committed."""
    transaction.on_commit(lambda: task.delay(publication_id))


@periodic(every=20.0)
def sweep() -> None:
    """Send what is due: calls whose message was lost or whose worker died, and syncs."""
    for publication_id in running.with_calls_to_make(at=now()):
        make_crowd_calls.delay(publication_id)
    for publication_id in running.to_sync(at=now()):
        sync_crowd.delay(publication_id)
