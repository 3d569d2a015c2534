"""Fetching what an address names below a study."""

from __future__ import annotations

from typing import TypeVar, cast

from django.contrib.auth.models import User
from django.http import Http404
from rest_framework.request import Request

from annotation.crowds.models import Publication
from annotation.quality.models import LedgerStep
from annotation.rating.models import Participation
from annotation.studies.models import Stage, Study, Upload
from annotation.studies.services.access import allows, study_for
from core.accounts.roles import Role

Row = TypeVar("Row")


def viewed(request: Request, slug: str) -> Study:
    """The study, for whoever may look at all of it."""
    return study_for(request.user, slug, Role.VIEWER)


def shown(request: Request, slug: str) -> Study:
    """The study, for everybody once it is public, and before for whoever may look at it."""
    found = Study.objects.filter(slug=slug).first()
    if found is None or not (found.published_at or allows(request.user, found, Role.VIEWER)):
        raise Http404("There is no such study.")
    return found


def edited(request: Request, slug: str) -> Study:
    """The study, for whoever may change it."""
    return study_for(request.user, slug, Role.EDITOR)


def owned(request: Request, slug: str) -> Study:
    """The study, for whoever may publish it and pay."""
    return study_for(request.user, slug, Role.OWNER)


def person(request: Request) -> User:
    """Who asks; operations without `visitors` have someone."""
    return cast(User, request.user)


def stage_of(study: Study, kind: str) -> Stage:
    return _found(study.stages.filter(kind=kind).select_related("study").first(), "stage")


def upload_of(study: Study, pk: int) -> Upload:
    return _found(study.uploads.filter(pk=pk).first(), "upload; it was taken in or put aside")


def step_of(study: Study, number: int) -> LedgerStep:
    return _found(study.ledger_steps.filter(number=number).first(), "step of the ledger")


def participation_of(study: Study, name: str) -> Participation:
    rows = study.participations.select_related("worker", "study")
    return _found(rows.filter(worker__name=name).first(), "worker of that name")


def publication_of(study: Study, pk: int) -> Publication:
    rows = Publication.objects.filter(stage__study=study).select_related("stage__study")
    return _found(rows.filter(pk=pk).first(), "publication")


def _found(row: Row | None, what: str) -> Row:
    if row is None:
        raise Http404(f"The study has no such {what}.")
    return row
