"""Files exchanged with a crowd: batch files, lists of finished workers, decisions. Payment
totals."""

from __future__ import annotations

from collections.abc import Iterable

from django.http import Http404, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.crowds.api.access import publication_of
from annotation.crowds.services import batches, panel_files, payment_totals, results
from annotation.crowds.services.panel_files import PanelFileResult
from annotation.crowds.services.syncing import SyncResult
from annotation.studies.api.access import edited, owned, viewed
from annotation.studies.models import Stage, Study
from concord.documents.crowds import CrowdResultsDocument, PaymentsDocument
from core.rest.operations import FORM, operation
from core.rest.serializers import Strict
from core.rest.uploads import on_disk
from core.rest.views import ApiView

CSV, HTML = "text/csv", "text/plain"


class ResultsFile(Strict):
    file = serializers.FileField(
        allow_empty_file=True,
        help_text="CSV of at most 32 MB, as the panel or the platform provides it.",
    )


class CrowdInput(ApiView):
    @operation("Download a batch's input file", scope="studies:read", sends=CSV, tag="crowds")
    def get(self, request: Request, slug: str, kind: str) -> HttpResponseBase:
        """CSV for a platform's requester pages, with one line per HIT that needs ratings."""
        stage = _paid_stage(viewed(request, slug), kind)
        return _file(stage, "input.csv", CSV, batches.input_file(stage))


class CrowdTemplate(ApiView):
    @operation("Download a batch's template", scope="studies:read", sends=HTML, tag="crowds")
    def get(self, request: Request, slug: str, kind: str) -> HttpResponseBase:
        """HTML for a platform's editor. The columns of the input file fill it."""
        stage = _paid_stage(viewed(request, slug), kind)
        return _file(stage, "template.html", HTML, [batches.template(stage)])


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
        """A panel's list if the stage was published by a link, otherwise the results of a batch.
        All rows are imported, or none. Importing the same file again changes nothing."""
        stage = _paid_stage(owned(request, slug), kind)
        with on_disk([self.body()["file"]], max_bytes=results.FILE_BYTES) as (path,):
            result = results.import_results(stage, path.read_bytes(), at=now())
        return self.answer(_results_row(result))


class PanelDecisions(ApiView):
    @operation("Download a panel's decisions", scope="payments:write", sends=CSV, tag="crowds")
    def get(self, request: Request, slug: str, publication: int) -> HttpResponseBase:
        """CSV of the decisions and the amounts to pay. The file contains the panel's worker ids, so
        it needs a token that may pay."""
        row = publication_of(owned(request, slug), publication)
        return _file(row.stage, "decisions.csv", CSV, panel_files.decisions(row))


class RefreshPayments(ApiView):
    @operation(
        "Refresh a crowd's payment totals",
        scope="studies:write",
        answer=PaymentsDocument,
        tag="crowds",
        also={409: "The platform does not answer or refuses."},
    )
    def post(self, request: Request, slug: str, publication: int) -> Response:
        """Asks the platform and stores its totals. `reported` is null if it does not report any."""
        return self.answer(
            payment_totals.refresh(publication_of(edited(request, slug), publication), at=now())
        )


def _paid_stage(study: Study, kind: str) -> Stage:
    """A stage that can be published to a crowd: any but the qualification."""
    stage = study.stages.filter(kind=kind).exclude(kind="qualification").first()
    if stage is None:
        raise Http404("The study has no such stage.")
    return stage


def _file(stage: Stage, name: str, content_type: str, parts: Iterable[str]) -> HttpResponse:
    response = HttpResponse("".join(parts), content_type=f"{content_type}; charset=utf-8")
    file_name = f"{stage.study.slug}-{stage.kind}-{name}"
    response["Content-Disposition"] = f'attachment; filename="{file_name}"'
    return response


def _results_row(result: PanelFileResult | SyncResult) -> CrowdResultsDocument:
    row: CrowdResultsDocument = {
        "submitted": result.submitted,
        "decided": result.decided,
        "unchanged": 0,
        "unknown_lines": [],
        "wrong_codes": [],
        "missing": [],
    }
    if isinstance(result, SyncResult):
        return row
    return {
        **row,
        "unchanged": result.unchanged,
        "unknown_lines": result.unknown_lines,
        "wrong_codes": result.wrong_codes,
        "missing": result.missing,
    }
