"""Files between a study and its crowd: what is put up by hand and what comes back, a panel's list
of who finished and of whom it pays; and the crowd's own side of the books."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypedDict

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.crowds.api.access import publication_of
from annotation.crowds.api.review import BooksDocument
from annotation.crowds.services import batches, books, panel_files, results
from annotation.crowds.services.panel_files import Reconciled
from annotation.crowds.services.syncing import Synced
from annotation.studies.api.access import edited, owned, viewed
from annotation.studies.models import Stage, Study
from core.rest.operations import FORM, operation
from core.rest.serializers import Strict
from core.rest.uploads import on_disk
from core.rest.views import ApiView

CSV, HTML = "text/csv", "text/plain"


class TakeResults(Strict):
    file = serializers.FileField(
        allow_empty_file=True,
        help_text="CSV of at most 32 MB, as the panel or the platform has it.",
    )


class CrowdResultsDocument(serializers.Serializer[Any]):
    """What a file of who finished changed, and what of it does not fit."""

    submitted = serializers.IntegerField(help_text="Submissions that are new.")
    decided = serializers.IntegerField(help_text="Decisions that are new.")
    known = serializers.IntegerField(help_text="Known before; of a panel's list.")
    strangers = serializers.ListField(
        child=serializers.IntegerField(), help_text="Lines of a panel's list who were never here."
    )
    wrong_codes = serializers.ListField(
        child=serializers.CharField(), help_text="Workers whose completion code is not theirs."
    )
    missing = serializers.ListField(
        child=serializers.CharField(), help_text="Workers who finished and are not in the list."
    )


class CrowdInput(ApiView):
    @operation("Download a batch's input file", scope="studies:read", sends=CSV, tag="crowds")
    def get(self, request: Request, slug: str, kind: str) -> HttpResponseBase:
        """CSV for a platform's own pages, a line a HIT that lacks ratings."""
        stage = _paid_stage(viewed(request, slug), kind)
        return _file(stage, "input.csv", CSV, batches.input_file(stage))


class CrowdTemplate(ApiView):
    @operation("Download a batch's template", scope="studies:read", sends=HTML, tag="crowds")
    def get(self, request: Request, slug: str, kind: str) -> HttpResponseBase:
        """HTML for a platform's editor, which fills it from the input file's columns."""
        stage = _paid_stage(viewed(request, slug), kind)
        return _file(stage, "template.html", HTML, [batches.template(stage)])


class CrowdResults(ApiView):
    @operation(
        "Take in a file of who finished",
        scope="payments:write",
        body=TakeResults,
        takes=FORM,
        answer=CrowdResultsDocument,
        creates=True,
        tag="crowds",
        also={409: "The file is not one, or does not belong to the stage; nothing was changed."},
        example={"file": "(a file)"},
    )
    def post(self, request: Request, slug: str, kind: str) -> Response:
        """A panel's list where the stage is behind its link, else the results of a batch. All or
        nothing; the same file again changes nothing."""
        stage = _paid_stage(owned(request, slug), kind)
        with on_disk([self.body()["file"]], max_bytes=results.FILE_BYTES) as (path,):
            found = results.take_in(stage, path.read_bytes(), at=now())
        return self.answer(_told(found))


class PanelDecisions(ApiView):
    @operation("Download a panel's decisions", scope="payments:write", sends=CSV, tag="crowds")
    def get(self, request: Request, slug: str, publication: int) -> HttpResponseBase:
        """CSV of whom the panel is to pay. The one file with the ids that people have there, and so
        for a token that may pay."""
        found = publication_of(owned(request, slug), publication)
        return _file(found.stage, "decisions.csv", CSV, panel_files.decisions(found))


class AskForBooks(ApiView):
    @operation(
        "Ask a crowd for its books",
        scope="studies:write",
        answer=BooksDocument,
        tag="crowds",
        also={409: "The crowd does not answer, or refuses."},
    )
    def post(self, request: Request, slug: str, publication: int) -> Response:
        """Its side is kept; where it keeps none that could be asked for, `theirs` is null."""
        return self.answer(
            books.audit(publication_of(edited(request, slug), publication), at=now())
        )


def _paid_stage(study: Study, kind: str) -> Stage:
    """A stage that crowds work on, which the qualification alone is not."""
    found = study.stages.filter(kind=kind).exclude(kind="qualification").first()
    if found is None:
        raise Http404("The study has no such stage.")
    return found


def _file(stage: Stage, name: str, content_type: str, parts: Iterable[str]) -> HttpResponse:
    response = HttpResponse("".join(parts), content_type=f"{content_type}; charset=utf-8")
    file_name = f"{stage.study.slug}-{stage.kind}-{name}"
    response["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return response


class TakenRow(TypedDict):
    """What became of a file of results."""

    submitted: int
    decided: int
    known: int
    strangers: list[int]
    wrong_codes: list[str]
    missing: list[str]


def _told(found: Reconciled | Synced) -> TakenRow:
    row: TakenRow = {
        "submitted": found.submitted,
        "decided": found.decided,
        "known": 0,
        "strangers": [],
        "wrong_codes": [],
        "missing": [],
    }
    if isinstance(found, Synced):
        return row
    return {
        **row,
        "known": found.known,
        "strangers": found.strangers,
        "wrong_codes": found.wrong_codes,
        "missing": found.missing,
    }
