"""Judgment sets: the list, one version, all versions of a set, and imports."""

from __future__ import annotations

from django.db import transaction
from django.urls import reverse
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.imports import services as imports
from benchmarks.imports import tasks
from benchmarks.imports.api.imports import EXAMPLE as IMPORT
from benchmarks.imports.api.imports import import_document
from benchmarks.imports.inputs import MAX_FILES, RECIPE_HELP, NewSet, file_limits
from benchmarks.runs.api.documents import set_detail_document, set_document
from benchmarks.sets.services import access
from concord.formats import (
    option_help,
)
from core.accounts.views.shared import person
from core.jobs import send_after_commit
from core.rest.derived import DataclassSerializer, value_of
from core.rest.operations import FORM, operation
from core.rest.serializers import Flag, Paged
from core.rest.uploads import on_disk
from core.rest.views import ApiView
from core.security.declarations import costs

EXAMPLE = {
    "ref": "demo@1",
    "name": "demo",
    "version": 1,
    "title": "Answers about short stories",
    "description": "",
    "illustrative": True,
    "source_format": "concord",
    "scale": [1.0, 5.0],
    "words": None,
    "candidates": 300,
    "pairs": 42,
    "content_hash": "5e1f0c...",
    "created_at": "2026-01-05T09:30:00Z",
    "published_at": "2026-01-05T09:31:00Z",
    "role": "owner",
}


class ListSets(Paged):
    search = serializers.CharField(
        required=False, max_length=200, help_text="A part of the name or title."
    )
    published = Flag(
        required=False,
        allow_null=True,
        default=None,
        help_text="true: only public sets; false: only private sets.",
    )


class ImportSet(DataclassSerializer):
    """Files of judgments, or one of judged pairs, and the set to import them into."""

    dataclass = NewSet

    files = serializers.ListField(
        child=serializers.FileField(allow_empty_file=True),
        required=False,
        min_length=1,
        max_length=MAX_FILES,
        help_text="Judgments, all in the same format.",
    )
    pairs = serializers.FileField(
        required=False,
        allow_empty_file=True,
        help_text="Minimal pairs, or pairs that people judged, in the same format. Without "
        "`files`, the next version of the set has these pairs; judged pairs may make a new set.",
    )
    texts = serializers.FileField(
        required=False,
        allow_empty_file=True,
        help_text=option_help("texts"),
    )
    recipe = serializers.FileField(required=False, allow_empty_file=True, help_text=RECIPE_HELP)

    def validate(self, body: dict[str, object]) -> dict[str, object]:
        """Refuse pairs alone with fields that are about judgments."""
        if "files" in body:
            return body
        if "pairs" not in body:
            raise serializers.ValidationError({"files": ["Send judgments or pairs."]})
        misplaced = value_of(NewSet, body).about_judgments()
        if misplaced := [*misplaced, *({"texts"} & body.keys())]:
            message = "This needs a file of judgments."
            raise serializers.ValidationError({name: [message] for name in misplaced})
        return body


@costs(files=file_limits)
class Sets(ApiView):
    @operation(
        "List judgment sets",
        scope="sets:read",
        visitors=True,
        query=ListSets,
        answer=set_document,
        pages=True,
        answer_example={"results": [EXAMPLE], "next": None},
    )
    def get(self, request: Request) -> Response:
        """The latest version of each set that you may see, by name."""
        query = self.query()
        latest = access.sets_for(request.user).latest_versions()
        sets = access.sets_for(request.user).filter(pk__in=latest.values("pk"))
        if search := query.get("search"):
            sets = sets.filter(name__icontains=search) | sets.filter(title__icontains=search)
        if query["published"] is not None:
            sets = sets.filter(published_at__isnull=not query["published"])
        return self.page_of_query(sets, "name")

    @operation(
        "Import judgments",
        scope="sets:write",
        body=ImportSet,
        takes=FORM,
        answer=import_document,
        status=202,
        creates=True,
        example={"files": "(a file)", "format": "concord", "name": "my-set"},
        answer_example=IMPORT | {"status": "queued", "percent": 0, "judgment_set": None},
    )
    def post(self, request: Request) -> Response:
        """A worker imports all files or none: poll the import at `Location` until it has ended.
        Errors name file, line and field. The version is private until it is published. With `add`,
        the metric runs of the previous version are requested again."""
        body = self.body()
        others = [name for name in imports.ATTACHED if name in body]
        files = [*body.get("files", ()), *(body[name] for name in others)]
        new_set = self.input(NewSet)
        access.check_new_version(request.user, new_set.name)
        with on_disk(files) as paths:
            attached = {name: paths.pop() for name in reversed(others)}
            return _request_import(
                self,
                new_set.name,
                new_set.format,
                imports.ImportFiles(paths, **attached),
                new_set.parameters(),
            )


class Set(ApiView):
    @operation(
        "Read a judgment set",
        scope="sets:read",
        visitors=True,
        answer=set_detail_document,
    )
    def get(self, request: Request, ref: str) -> Response:
        return self.answer(access.set_for(request.user, ref))


class Versions(ApiView):
    @operation(
        "List a set's versions",
        scope="sets:read",
        visitors=True,
        query=Paged,
        answer=set_document,
        pages=True,
    )
    def get(self, request: Request, ref: str) -> Response:
        """The versions that you may see, latest first."""
        judgment_set = access.set_for(request.user, ref)
        versions = access.sets_for(request.user).filter(name=judgment_set.name)
        return self.page_of_query(versions, "-version")


def _request_import(
    view: ApiView,
    name: str,
    format: str,
    files: imports.ImportFiles,
    parameters: imports.ImportParameters,
) -> Response:
    """Store the import and send its task after the commit."""
    with transaction.atomic():
        job = imports.request(name, format, files, parameters, by=person(view.request), at=now())
        send_after_commit(lambda: tasks.import_set.delay(job.pk))
    return view.accepted(job, reverse("api-import", args=[job.pk]))
