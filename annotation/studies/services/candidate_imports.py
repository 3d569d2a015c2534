"""Adding an upload's candidates as a job: asked for, done by a worker. Callers send the tasks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from datetime import datetime

from django.contrib.auth.models import User
from django.db import transaction
from django.utils.timezone import now

from annotation.studies.models import CandidateImport, Upload
from annotation.studies.services import access, uploads
from annotation.studies.services.access import RoleNeededError, StudyMissingError
from annotation.studies.services.uploads import UploadError
from core.accounts.roles import Role
from core.audit.actors import Actor, acting_as, current_actor
from core.jobs import performing
from core.jobs.performing import StoppedError

REFUSALS = (UploadError, RoleNeededError, StudyMissingError)


def request(
    upload: Upload,
    span_based: Iterable[str] = (),
    draw_questions: int | None = None,
    *,
    by: User,
    at: datetime,
) -> CandidateImport:
    """The active import of the upload, or a new one. The arguments are those of `uploads.add`.
    Raises UploadError for what is known to be refused without reading the file."""
    uploads.check(upload)
    with transaction.atomic():
        # Two may ask at once, or one of them discards the file.
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


def perform(pk: int) -> None:
    """Do it unless another worker holds it or it has ended."""
    found = CandidateImport.claim(pk, at=now(), steps=0)
    if found is None:
        return

    def fail(reason: str, refusal: Exception | None) -> None:
        # A refusal may begin with the file's name, whose letters stay as they are.
        found.fail(str(refusal or reason), at=now())

    performing.perform(found, lambda: _work(found), refusals=REFUSALS, fail=fail)


def _work(found: CandidateImport) -> None:
    # Who asked may have lost the role meanwhile.
    access.study_for(found.by, found.study.slug, Role.EDITOR)
    upload = found.upload
    if upload is None:
        raise UploadError(uploads.DISCARDED)
    rows = uploads.rows_of(upload)
    if not found.advance(at=now(), steps=1):
        raise StoppedError
    with acting_as(Actor(**found.actor)), transaction.atomic():
        counts = uploads.add(upload, rows, found.span_based, found.draw_questions)
        if not found.complete(at=now(), counts=counts):
            raise StoppedError
