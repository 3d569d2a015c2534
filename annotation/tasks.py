"""Celery tasks of rating studies: primary keys in, everything else in the services.

Delivered twice, each works once: a publication's calls are claimed one by one, and what a provider
reports is recorded once however often it is reported.
"""

from __future__ import annotations

from celery import Task, shared_task
from django.db import transaction
from django.utils.timezone import now

from annotation.crowds.services import running
from annotation.privacy.services import retention
from annotation.studies.services import announcing
from core.jobs import duty, row_task


@row_task
def make_crowd_calls(publication_id: int) -> None:
    """Make the calls of a publication's outbox."""
    running.work(publication_id)


@row_task
def sync_crowd(publication_id: int) -> None:
    """Take in what the provider says, and make the calls that follow from it."""
    running.reconcile(publication_id, at=now())
    running.work(publication_id)


@shared_task
def drop_old_identities() -> None:
    """Drop the ids of workers whose term is over."""
    retention.release_due(at=now())


def after_commit(task: Task[[int], None], publication_id: int) -> None:
    """Send a task once what it is about is there to be seen."""
    transaction.on_commit(lambda: task.delay(publication_id))


@duty(every=20.0)
def sweep() -> None:
    """Send what is due: calls whose message was lost or whose worker died, and syncs; and announce
    stages that are complete."""
    announcing.complete_stages(at=now())
    for publication_id in running.with_calls_to_make(at=now()):
        make_crowd_calls.delay(publication_id)
    for publication_id in running.to_sync(at=now()):
        sync_crowd.delay(publication_id)


@duty(every=3600.0)
def drop_identities() -> None:
    """Send the task that drops identities whose term is over."""
    drop_old_identities.delay()
