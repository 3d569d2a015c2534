"""Taking the candidates of an imported file out of a study again."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count, QuerySet

from annotation.studies.models import CandidateImport, Study, StudyCandidate
from annotation.studies.services import comparisons, question_rules
from annotation.studies.services.candidates import (
    has_begun,
    lock_study,
    share_duplicates,
)
from core import audit
from core.refusals import RefusedError

Use = StudyCandidate.Use


def added_files(study: Study) -> QuerySet[CandidateImport]:
    """The imports whose candidates the study has, the last first, with their number as `n`."""
    rows = study.candidate_imports.filter(candidates__isnull=False)
    return rows.annotate(n=Count("candidates")).order_by("-created_at", "-pk")


def take_out(job: CandidateImport, *, by: User) -> int:
    """Delete the candidates that an import added, and the instances that no candidate has then.

    The rules about questions, duplicates and what is compared hold for the candidates that remain.
    Returns how many were deleted. Raises RefusedError if a stage that rates some of them has been
    opened, and where the study has a sampling rule.
    """
    study = job.study
    with transaction.atomic():
        lock_study(study)
        rows = study.candidates.filter(added_by=job)
        uses = set(rows.order_by().values_list("use", flat=True))
        if any(has_begun(study, use) for use in uses):
            raise RefusedError(
                "Collection has begun, so no candidates can be taken out.", "study-refused"
            )
        if study.stages.filter(sampling__isnull=False).exists():
            raise RefusedError(
                "The study has a sampling rule, with scores of its candidates. Remove the rule on "
                "the page Sampling, then take the file out.",
                "study-refused",
            )
        count = rows.count()
        # Deleting a candidate deletes its copies and leaves its units without it.
        study.candidates.filter(same_as__in=rows).exclude(added_by=job).update(same_as=None)
        study.candidates.filter(parts__isnull=False, use=Use.RATED).delete()
        rows.delete()
        if not study.for_set:
            study.instances.filter(candidates=None).delete()
        last = added_files(study).filter(candidates__use__in=(Use.RATED, Use.COMPARED)).first()
        question_rules.apply(study, last.draw_questions if last else None)
        share_duplicates(study)
        if study.current.protocol.compares:
            comparisons.refresh(study)
        before = {"file": job.name, "candidates": count}
        audit.record(by, "candidates.removed", study, before=before, study=study)
    return count
