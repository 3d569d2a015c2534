"""API to copy, archive and delete studies."""

from __future__ import annotations

from django.urls import reverse
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.lifecycle.inputs import Deletion, Language, NewCopy
from annotation.lifecycle.services import archiving, copying, deletion
from annotation.rating.services import languages
from annotation.setup.api.studies import STUDY, study_document
from annotation.studies.api.access import edited, owned, person, viewed
from annotation.studies.services import access
from core.rest.operations import operation
from core.rest.views import ApiView


class StudyLanguage(ApiView):
    @operation(
        "Set the language of the raters' pages",
        scope="studies:write",
        body=Language,
        answer=study_document,
        example={"language": "de"},
        answer_example={**STUDY, "rater_language": "de"},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Raters who chose another language keep it."""
        study = edited(request, slug)
        languages.set_study_language(study, self.input(Language).language)
        return self.answer(edited(request, slug))


class CopyStudy(ApiView):
    @operation(
        "Copy a study",
        scope="studies:write",
        body=NewCopy,
        answer=study_document,
        status=201,
        creates=True,
        example={"slug": "my-study-copy", "title": "Copy of my study"},
        answer_example=STUDY,
    )
    def post(self, request: Request, slug: str) -> Response:
        """Protocol and candidates, without raters and ratings. You are the copy's owner."""
        study = viewed(request, slug)
        if not access.may_create_studies(request.user):
            raise PermissionDenied(access.RESEARCHERS_ONLY)
        body = self.input(NewCopy)
        copy = copying.copy_study(study, body.slug, body.title, owner=person(request), at=now())
        return self.answer(copy, location=reverse("api-study", args=[copy.slug]))


class ArchiveStudy(ApiView):
    @operation(
        "Archive a study",
        scope="studies:write",
        answer=study_document,
        also={409: "Work is in progress; the problem says what."},
    )
    def post(self, request: Request, slug: str) -> Response:
        """No stage can be opened, nobody can join, and everything stays readable."""
        archiving.archive(owned(request, slug), at=now())
        return self.answer(owned(request, slug))


class RestoreStudy(ApiView):
    @operation("Restore an archived study", scope="studies:write", answer=study_document)
    def post(self, request: Request, slug: str) -> Response:
        archiving.restore(owned(request, slug))
        return self.answer(owned(request, slug))


class DeleteStudy(ApiView):
    @operation(
        "Delete a study",
        scope="studies:write",
        body=Deletion,
        status=204,
        example={"confirm": "my-study", "paid": False},
        also={409: "Work is open or unpaid, or the study or a set frozen from it is public."},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Removes candidates, ratings and workers' ids. Payments and the audit log stay."""
        study = owned(request, slug)
        body = self.input(Deletion)
        if body.confirm != study.slug:
            raise serializers.ValidationError(
                {"confirm": [f"Enter {study.slug} to confirm: deleting cannot be undone."]}
            )
        deletion.delete_study(study, paid=body.paid, by=person(request), at=now())
        return Response(status=204)
