"""Look-ups of the objects in URLs of the API, below a study."""

from __future__ import annotations

from typing import TypeVar

from django.http import Http404
from rest_framework.request import Request

from annotation.studies.models import CandidateImport, Stage, Study, Upload
from annotation.studies.services.access import study_for
from core.accounts.roles import Role
from core.accounts.views.shared import person as person

Row = TypeVar("Row")


def viewed(request: Request, slug: str) -> Study:
    """The study, for users who may see all of it."""
    return study_for(request.user, slug, Role.VIEWER)


def edited(request: Request, slug: str) -> Study:
    """The study, for users who may change it."""
    return study_for(request.user, slug, Role.EDITOR)


def owned(request: Request, slug: str) -> Study:
    """The study, for users who may publish it and pay."""
    return study_for(request.user, slug, Role.OWNER)


def stage_of(study: Study, kind: str) -> Stage:
    return found_or_404(study.stages.filter(kind=kind).select_related("study").first(), "stage")


def upload_of(study: Study, pk: int) -> Upload:
    return found_or_404(study.uploads.filter(pk=pk).first(), "upload; it was imported or discarded")


def import_of(study: Study, pk: int) -> CandidateImport:
    return found_or_404(study.candidate_imports.filter(pk=pk).first(), "import of candidates")


def found_or_404(row: Row | None, what: str) -> Row:
    """The row. Raises Http404 if there is none."""
    if row is None:
        raise Http404(f"The study has no such {what}.")
    return row
