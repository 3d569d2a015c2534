"""Imports of candidates: jobs that add an upload's candidates to its study.

Callers send the tasks.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils.timezone import now

from annotation.studies.errors import UploadError
from annotation.studies.models import CandidateImport, StudyCandidate, Upload
from annotation.studies.services import access, upload_rows, uploads
from annotation.studies.services.candidates import lock_study, next_position
from core.accounts.roles import Role
from core.audit.actors import Actor, acting_as, current_actor
from core.jobs.kinds import JobKind
from core.jobs.performing import StoppedError
from core.refusals import RefusedError


def request(
    upload: Upload,
    span_based: Iterable[str] = (),
    draw_questions: int | None = None,
    *,
    by: User,
    at: datetime,
) -> CandidateImport:
    """The active import of the upload, or a new one. The options are those of `uploads.add`.

    Raises UploadError if the import would fail, as far as it is known without reading the file.
    """
    uploads.check(upload)
    with transaction.atomic():
        # Another request may import or discard the file at the same time.
        if not Upload.objects.select_for_update(no_key=True).filter(pk=upload.pk).values("pk"):
            raise UploadError(uploads.DISCARDED)
        active = uploads.active_import(upload)
        return active or CandidateImport.objects.create(
            study=upload.study,
            upload=upload,
            by=by,
            actor=asdict(current_actor(by)),
            name=upload.name,
            span_based=sorted(set(span_based)),
            draw_questions=draw_questions,
            created_at=at,
            sent_at=at,
        )


def _import(job: CandidateImport) -> None:
    # The user may have lost the role since the request.
    access.study_for(job.by, job.study.slug, Role.EDITOR)
    upload = job.upload
    if upload is None:
        raise UploadError(uploads.DISCARDED)
    items = upload_rows.items_of(upload)
    if not job.advance(at=now(), steps=1):
        raise StoppedError
    with acting_as(Actor(**job.actor)), transaction.atomic():
        lock_study(job.study)
        added = {"position__gte": next_position(job.study)}
        counts = uploads.add(upload, items, job.span_based, job.draw_questions)
        # Units to rate are not the file's: they are made anew whenever the candidates change.
        units = Q(parts__isnull=False, use=StudyCandidate.Use.RATED)
        job.study.candidates.filter(**added).exclude(units).update(added_by=job)
        if not job.complete(at=now(), counts=counts):
            raise StoppedError


IMPORTS = JobKind(
    CandidateImport,
    _import,
    expected_errors=(RefusedError,),
    # An expected error may begin with the file's name: its case is kept.
    fail=lambda job, reason, refusal: job.fail(str(refusal or reason), at=now()),
    is_deleted=True,
)
