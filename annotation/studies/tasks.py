"""Celery tasks: import candidates, and delete old imports."""

from __future__ import annotations

from django.utils.timezone import now

from annotation.studies.models import CandidateImport
from annotation.studies.services import candidate_imports
from core.jobs import periodic, resend, row_task


@row_task("annotation.tasks.import_candidates")
def import_candidates(import_id: int) -> None:
    """Run one import."""
    candidate_imports.perform(import_id)


@periodic(every=3600.0)
def delete_old_candidate_imports() -> None:
    """Delete imports that ended long ago. The candidates are kept."""
    CandidateImport.delete_ended(at=now())


resend(import_candidates, CandidateImport.stale)
