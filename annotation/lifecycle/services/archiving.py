"""Archiving a study: it collects nothing more, and everything stays readable."""

from __future__ import annotations

from datetime import datetime

from django.db import transaction

from annotation.lifecycle.services.unfinished import open_work
from annotation.studies.models import Study
from core import audit
from core.refusals import RefusedError


def archive(study: Study, *, at: datetime) -> None:
    """Archive the study: no stage can be opened, and nobody can join.

    Raises RefusedError while work is in progress.
    """
    with transaction.atomic():
        row = Study.objects.select_for_update().get(pk=study.pk)
        if row.archived_at is not None:
            return
        reasons = open_work(row, at=at)
        if reasons:
            raise RefusedError(" ".join(reasons), "study-refused")
        row.archived_at = at
        row.save(update_fields=["archived_at"])
        audit.record(None, "study.archived", row, study=row)


def restore(study: Study) -> None:
    """Undo archiving."""
    with transaction.atomic():
        if Study.objects.filter(pk=study.pk, archived_at__isnull=False).update(archived_at=None):
            audit.record(None, "study.restored", study, study=study)
