"""Files exchanged with a panel: lists of finished workers, decisions. Payment totals."""

from __future__ import annotations

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.crowds.services import panel_files
from annotation.crowds.services.progress import publication_of
from annotation.studies.api.access import owned
from annotation.studies.models import Stage, Study
from concord.documents.crowds import CrowdResultsDocument
from core.rest.operations import FORM, operation
from core.rest.serializers import Strict
from core.rest.uploads import on_disk
from core.rest.views import ApiView
from core.security.declarations import costs

CSV = "text/csv"


class ResultsFile(Strict):
    file = serializers.FileField(
        allow_empty_file=True,
        help_text="CSV of at most 32 MB, as the panel provides it.",
    )


@costs(files=panel_files.file_limits)
class CrowdResults(ApiView):
    @operation(
        "Import results",
        scope="payments:write",
        body=ResultsFile,
        takes=FORM,
        answer=CrowdResultsDocument,
        creates=True,
        tag="crowds",
        also={409: "The file is invalid or does not belong to the stage. Nothing was changed."},
        example={"file": "(a file)"},
    )
    def post(self, request: Request, slug: str, kind: str) -> Response:
        """A panel's list of those who finished, for a stage that was published by a link. All rows
        are imported, or none. Importing the same file again changes nothing."""
        stage = _paid_stage(owned(request, slug), kind)
        with on_disk([self.body()["file"]], max_bytes=panel_files.FILE_BYTES) as (path,):
            result = panel_files.import_results(stage, path.read_bytes(), at=now())
        return self.answer(result)


class PanelDecisions(ApiView):
    @operation("Download a panel's decisions", scope="payments:write", sends=CSV, tag="crowds")
    def get(self, request: Request, slug: str, publication: int) -> HttpResponseBase:
        """CSV of the decisions and the amounts to pay. The file contains the panel's worker ids, so
        it needs a token that may pay."""
        row = publication_of(owned(request, slug), publication)
        lines = "".join(panel_files.decisions(row))
        response = HttpResponse(lines, content_type=f"{CSV}; charset=utf-8")
        file_name = f"{row.stage.study.slug}-{row.stage.kind}-decisions.csv"
        response["Content-Disposition"] = f'attachment; filename="{file_name}"'
        return response


def _paid_stage(study: Study, kind: str) -> Stage:
    """A stage that can be published to a crowd: any but the qualification."""
    stage = study.stages.filter(kind=kind).exclude(kind="qualification").first()
    if stage is None:
        raise Http404("The study has no such stage.")
    return stage
