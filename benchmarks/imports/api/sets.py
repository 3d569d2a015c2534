"""Judgment sets: the list, one version, its versions, and bringing files in."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

from django.contrib.auth.models import User
from django.db import transaction
from django.urls import reverse
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.imports import services as imports
from benchmarks.imports import tasks
from benchmarks.imports.api.imports import EXAMPLE as IMPORT
from benchmarks.imports.api.imports import ImportDocument
from benchmarks.imports.services.requests import MAX_DESCRIPTION, MAX_SYSTEMS, REFERENCES
from benchmarks.runs.api.documents import SetDetailDocument, SetDocument
from benchmarks.sets.models import NAME_PATTERN, JudgmentSet
from benchmarks.sets.services import access, importing
from concord.formats import JUDGMENT_FORMATS, PAIR_FORMATS, Limits, ReadOptions
from core.accounts.roles import Role
from core.column_bounds import max_length
from core.rest.derived import whole_field
from core.rest.operations import FORM, operation
from core.rest.serializers import Flag, Paged, Strict
from core.rest.uploads import on_disk
from core.rest.views import ApiView

EXAMPLE = {
    "ref": "demo@1",
    "name": "demo",
    "version": 1,
    "title": "Answers about short stories",
    "description": "",
    "illustrative": True,
    "source_format": "concord",
    "scale": [1.0, 5.0],
    "candidates": 300,
    "pairs": 42,
    "content_hash": "5e1f0c...",
    "created_at": "2026-01-05T09:30:00Z",
    "published_at": "2026-01-05T09:31:00Z",
    "role": "owner",
}
OPTIONS = ("systems", "references", "criterion", "reference_system", "split", "constituent")


class ListSets(Paged):
    search = serializers.CharField(
        required=False, max_length=200, help_text="Part of the name or title."
    )
    published = Flag(
        required=False, allow_null=True, default=None, help_text="Only public, or only private."
    )


class ImportSet(Strict):
    """Files of judgments, and what they are to be called."""

    files = serializers.ListField(
        child=serializers.FileField(allow_empty_file=True),
        min_length=1,
        max_length=20,
        help_text="All of one format.",
    )
    format = serializers.ChoiceField(JUDGMENT_FORMATS)
    name = serializers.RegexField(
        rf"^{NAME_PATTERN}\Z",
        max_length=max_length(JudgmentSet, "name"),
        help_text="One that exists gets its next version.",
    )
    pairs = serializers.FileField(
        required=False, allow_empty_file=True, help_text="Minimal pairs, in the same format."
    )
    add = Flag(default=False, help_text="Keep what the set holds and add the files' candidates.")
    title = serializers.CharField(
        required=False, allow_blank=True, max_length=max_length(JudgmentSet, "title")
    )
    description = serializers.CharField(
        required=False, allow_blank=True, max_length=MAX_DESCRIPTION
    )
    illustrative = Flag(default=False)
    systems = serializers.ListField(
        child=serializers.CharField(max_length=Limits.max_name_chars),
        required=False,
        max_length=MAX_SYSTEMS,
        help_text="kpqa: names of the file's equal parts.",
    )
    references = whole_field(REFERENCES, required=False, help_text="kpqa: the first so many.")
    criterion = serializers.CharField(
        required=False,
        max_length=Limits.max_name_chars,
        help_text="thumb, squality: which judged quality.",
    )
    reference_system = serializers.CharField(
        required=False,
        max_length=Limits.max_name_chars,
        help_text="thumb, squality: whose answer is the reference.",
    )
    split = serializers.CharField(required=False, max_length=Limits.max_name_chars)
    constituent = serializers.CharField(required=False, max_length=Limits.max_name_chars)


class ImportPairs(Strict):
    file = serializers.FileField(allow_empty_file=True)
    format = serializers.ChoiceField(PAIR_FORMATS)


class Sets(ApiView):
    @operation(
        "List judgment sets",
        scope="sets:read",
        visitors=True,
        query=ListSets,
        answer=SetDocument,
        pages=True,
        answer_example={"results": [EXAMPLE], "next": None},
    )
    def get(self, request: Request) -> Response:
        """The latest version you may see of each set, by name."""
        asked = self.query()
        latest = access.sets_for(request.user).latest_versions()
        found = access.sets_for(request.user).filter(pk__in=latest.values("pk"))
        if search := asked.get("search"):
            found = found.filter(name__icontains=search) | found.filter(title__icontains=search)
        if asked["published"] is not None:
            found = found.filter(published_at__isnull=not asked["published"])
        return self.page_of_query(found, "name")

    @operation(
        "Import judgments",
        scope="sets:write",
        body=ImportSet,
        takes=FORM,
        answer=ImportDocument,
        status=202,
        creates=True,
        example={"files": "(a file)", "format": "concord", "name": "my-set"},
        answer_example=IMPORT | {"status": "queued", "percent": 0, "judgment_set": None},
    )
    def post(self, request: Request) -> Response:
        """The files are kept, and a worker makes the version: ask for the import, at `Location`,
        until it has ended. All or nothing; what is wrong with a file is told with file, line and
        field. The version is private until it is published. With `add`, its metric runs are those
        of the version before, asked for again."""
        given = self.body()
        sent = [*given["files"], *([given["pairs"]] if "pairs" in given else [])]
        options = ReadOptions(**{part: given[part] for part in OPTIONS if part in given})
        access.check_new_version(request.user, given["name"])
        asked = imports.Given(options, given["add"], _about(given))
        with on_disk(sent) as paths:
            pairs = paths.pop() if "pairs" in given else None
            return _queued(self, given["name"], given["format"], paths, asked, pairs)


class Set(ApiView):
    @operation(
        "Read a judgment set",
        scope="sets:read",
        visitors=True,
        answer=SetDetailDocument,
    )
    def get(self, request: Request, ref: str) -> Response:
        return self.answer(access.set_for(request.user, ref))


class Versions(ApiView):
    @operation(
        "List a set's versions",
        scope="sets:read",
        visitors=True,
        query=Paged,
        answer=SetDocument,
        pages=True,
    )
    def get(self, request: Request, ref: str) -> Response:
        """Those you may see, latest first."""
        found = access.set_for(request.user, ref)
        every = access.sets_for(request.user).filter(name=found.name)
        return self.page_of_query(every, "-version")


class Pairs(ApiView):
    @operation(
        "Import minimal pairs",
        scope="sets:write",
        body=ImportPairs,
        takes=FORM,
        answer=ImportDocument,
        status=202,
        creates=True,
        example={"file": "(a file)", "format": "concord"},
        answer_example=IMPORT | {"status": "queued", "percent": 0, "judgment_set": None},
    )
    def post(self, request: Request, ref: str) -> Response:
        """The file is kept, and a worker makes the set's next version, which has these pairs in
        place of its own: ask for the import, at `Location`, until it has ended. The metric runs are
        those of the version before, asked for again."""
        found = access.set_for(request.user, ref, Role.EDITOR)
        given = self.body()
        with on_disk([given["file"]]) as (path,):
            return _queued(self, found.name, given["format"], [], imports.Given(), pairs=path)


def _queued(
    view: ApiView,
    name: str,
    format: str,
    judgments: list[Path],
    given: imports.Given,
    pairs: Path | None,
) -> Response:
    """The import, kept, its task sent once that is committed."""
    by = cast(User, view.request.user)
    with transaction.atomic():
        asked = imports.request(name, format, judgments, given, pairs=pairs, by=by, at=now())
        transaction.on_commit(lambda: tasks.import_set.delay(asked.pk))
    response = view.answer(asked, location=reverse("api-import", args=[asked.pk]))
    response["Retry-After"] = "1"
    return response


def _about(given: dict[str, Any]) -> importing.About | None:
    """What the request says of the set; None when it says nothing."""
    told = (given.get("title", ""), given.get("description", ""), given["illustrative"])
    return importing.About(*told) if any(told) else None
