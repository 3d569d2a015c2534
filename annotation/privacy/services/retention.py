"""Ids are kept for as long as they are needed, and then dropped: for payment, for letting workers
in again, for keeping out whom the study excluded."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Max, Min

from annotation.crowds.models import CrowdAssignment
from annotation.privacy.services.erasing import forget_documents, is_owed
from annotation.rating.models import Assignment, Participation, Worker
from annotation.studies.models import Study
from core import audit

LONGEST_DAYS = 3650
AT_ONCE = 200


class RetentionRefusedError(ValueError):
    """A term that makes no sense; the message says what does."""


def days_of(study: Study) -> int:
    """For how many days after a worker's last work the study keeps their id."""
    default: int = settings.IDENTITY_RETENTION_DAYS
    return default if study.identity_days is None else study.identity_days


def set_days(study: Study, days: int | None, *, by: User | None) -> None:
    """Change the term; None: that of the installation. Raises RetentionRefusedError."""
    if days is not None and not 0 <= days <= LONGEST_DAYS:
        raise RetentionRefusedError(f"Ids are kept for 0 to {LONGEST_DAYS:,} days.")
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
    """Drop the ids of workers whose term is over; of how many.

    The term begins with the last work in the study, and does not end while a decision or a payment
    is to come. Their ratings, names and messages stay. Safe to run twice, and by several at once.
    """
    # No term is shorter than the shortest, so most workers need no closer look.
    shortest = Study.objects.aggregate(days=Min("identity_days"))["days"]
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
    while pks := list(rows.filter(pk__gt=last).values_list("pk", flat=True)[:AT_ONCE]):
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
        documents = forget_documents(crowds)
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
    if work.filter(status=Assignment.Status.HELD).exists() or is_owed(participation):
        return False
    found = work.aggregate(started=Max("started_at"), submitted=Max("submitted_at"))
    last: datetime = max(filter(None, (participation.created_at, *found.values())))
    return last + timedelta(days=days_of(participation.study)) <= at
