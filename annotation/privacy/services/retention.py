"""Retention of workers' ids.

Ids are stored as long as they are needed for payment, for admitting workers again, and for keeping
excluded workers out. Then they are removed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max, Min

from annotation.crowds.models import CrowdAssignment
from annotation.privacy.services.erasing import delete_documents, has_pending_payment
from annotation.rating.models import Assignment, Participation, Worker
from annotation.studies.models import Study
from concord.bounds import find_problems, number
from core import audit
from core.refusals import RefusedError

BATCH_SIZE = 200


@dataclass(frozen=True, slots=True)
class RetentionPeriod:
    """For how long a study stores the ids of its workers."""

    days: int | None = field(
        metadata=number(
            0,
            3650,
            label="Days after a worker's last work",
            help="Days after a worker's last work; null for the site's period.",
        )
    )


def days_of(study: Study) -> int:
    """For how many days after a worker's last work the study stores the id."""
    default: int = settings.IDENTITY_RETENTION_DAYS
    return default if study.identity_days is None else study.identity_days


def set_days(study: Study, days: int | None, *, by: User | None) -> None:
    """Change the retention period; None for the site's. Raises RefusedError."""
    if problems := find_problems(RetentionPeriod(days)):
        raise RefusedError(
            f"The retention period {problems['days']}, in days.", "value-refused", "days"
        )
    with transaction.atomic():
        row = Study.objects.select_for_update().get(pk=study.pk)
        before, row.identity_days = row.identity_days, days
        row.save(update_fields=["identity_days"])
        audit.record(
            by,
            "study.retention changed",
            study,
            {"identity_days": before},
            {"identity_days": days},
            study=study,
        )


def release_due(*, at: datetime) -> int:
    """Remove the ids of workers whose retention period has ended; returns how many.

    The period begins with the last work in the study, and does not end while a decision or payment
    is pending. Ratings, names and messages are kept. Safe to run twice and concurrently.
    """
    # The shortest period excludes most workers from a closer check.
    shortest = Study.all_rows.aggregate(days=Min("identity_days"))["days"]
    days = (
        settings.IDENTITY_RETENTION_DAYS
        if shortest is None
        else min(settings.IDENTITY_RETENTION_DAYS, shortest)
    )
    oldest = at - timedelta(days=days)
    rows = Worker.objects.filter(
        identity__isnull=False, simulated=False, created_at__lte=oldest
    ).order_by("pk")
    released = 0
    last = 0
    while pks := list(rows.filter(pk__gt=last).values_list("pk", flat=True)[:BATCH_SIZE]):
        last = pks[-1]
        released += sum(_release(pk, at) for pk in pks)
    return released


def _release(pk: int, at: datetime) -> bool:
    with transaction.atomic():
        worker = (
            Worker.objects.select_for_update(skip_locked=True, of=("self",))
            .select_related("study")
            .filter(pk=pk, identity__isnull=False)
            .first()
        )
        if worker is None:
            return False
        parts = list(worker.participations.select_related("study"))
        if not all(_is_over(part, at) for part in parts):
            return False
        crowds = list(CrowdAssignment.objects.filter(participation__in=parts))
        documents = delete_documents(crowds)
        worker.identity = worker.identity_key = None
        worker.released_at = at
        worker.save(update_fields=["identity", "identity_key", "released_at"])
        about = {"documents": documents}
        audit.record(None, "worker.id dropped", worker, after=about, study=worker.study)
    return True


def _is_over(participation: Participation, at: datetime) -> bool:
    work = Assignment.objects.filter(
        worker=participation.worker_id, hit__stage__study=participation.study_id
    )
    if work.filter(status=Assignment.Status.HELD).exists() or has_pending_payment(participation):
        return False
    times = work.aggregate(started=Max("started_at"), submitted=Max("submitted_at"))
    last: datetime = max(filter(None, (participation.created_at, *times.values())))
    return last + timedelta(days=days_of(participation.study)) <= at
