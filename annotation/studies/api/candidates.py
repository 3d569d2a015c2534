"""API of a study's candidates: uploads, imports, minimal pairs."""

from __future__ import annotations

from django.db import transaction
from django.urls import reverse
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.studies import inputs, tasks
from annotation.studies.api.access import edited, import_of, person, upload_of, viewed
from annotation.studies.errors import UploadError
from annotation.studies.inputs import ImportOptions
from annotation.studies.models import CandidateImport, StudyCandidate, Upload
from annotation.studies.services import candidate_imports, upload_rows, uploads
from concord.documents.conversion import fill
from concord.documents.study_candidates import (
    CandidateImportDocument,
    StudyCandidateDocument,
    UploadDetailDocument,
)
from concord.formats.tables import KEY, MEANINGS
from core.jobs import send_after_commit
from core.refusals import RefusedError
from core.rest.derived import DataclassSerializer, serializer_of
from core.rest.operations import FORM, operation
from core.rest.serializers import Paged, Strict
from core.rest.views import ApiView
from core.security.declarations import costs


def upload_detail_document(upload: Upload) -> UploadDetailDocument:
    needs_columns = uploads.needs_columns(upload)
    contents = None if needs_columns else _contents(upload)
    return fill(UploadDetailDocument, upload, needs_columns=needs_columns, contents=contents)


def _contents(upload: Upload) -> dict[str, object]:
    summary = upload_rows.summarise(upload)
    names = ("candidates", "pairs", "instances", "passages", "without_score")
    counts: dict[str, object] = {name: getattr(summary, name) for name in names}
    for name in ("constituents", "systems", "splits"):
        counts[name] = [[label, n] for label, n in getattr(summary, name)]
    return counts


class NewUpload(DataclassSerializer):
    dataclass = inputs.UploadInput

    file = serializers.FileField(allow_empty_file=True)


class Columns(Strict):
    meanings = serializers.ListField(
        child=serializers.ChoiceField(("", *MEANINGS, KEY)),
        max_length=1000,
        required=False,
        help_text="The meaning of each column of the header; empty to ignore the column. By "
        "default guessed by the headings. Several "
        "candidate columns are the answers of several systems, which their headings name. In files "
        "of test items and hidden checks, `key` is the correct answer to the criterion that the "
        "heading names.",
    )
    sheet = serializers.CharField(
        required=False, max_length=200, help_text="XLSX: another sheet than the proposed one."
    )


def candidate_import_document(row: CandidateImport) -> CandidateImportDocument:
    return fill(CandidateImportDocument, row, study=row.study.slug)


IMPORT_EXAMPLE = {
    "id": 5,
    "status": "complete",
    "percent": 100,
    "reason": "",
    "created_at": "2026-01-05T09:30:00Z",
    "finished_at": "2026-01-05T09:30:04Z",
    "study": "boats",
    "name": "answers.jsonl",
    "counts": {"taken": 300, "sharing another's ratings": 4},
}


def study_candidate_document(row: StudyCandidate) -> StudyCandidateDocument:
    return fill(
        StudyCandidateDocument, row, row.instance, instance=row.instance.key, same_as=row.same_as_id
    )


class ListStudyCandidates(Paged):
    use = serializers.ChoiceField(StudyCandidate.Use.choices, required=False)
    system = serializers.CharField(required=False, max_length=500)


class CandidatesView(ApiView):
    @operation(
        "List a study's candidates",
        scope="studies:read",
        query=ListStudyCandidates,
        answer=study_candidate_document,
        pages=True,
        tag="study candidates",
    )
    def get(self, request: Request, slug: str) -> Response:
        """All candidates, including those excluded by a rule, in their order."""
        query = self.query()
        filters = {name: query[name] for name in ("use", "system") if name in query}
        rows = viewed(request, slug).candidates.select_related("instance").filter(**filters)
        return self.page_of_query(rows, "position")


@costs(files=uploads.file_limits)
class Uploads(ApiView):
    @operation(
        "Upload candidates",
        scope="studies:write",
        body=NewUpload,
        takes=FORM,
        answer=upload_detail_document,
        status=201,
        creates=True,
        tag="study candidates",
        example={"file": "(a file)", "use": "rated"},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Stores the file for a day, until it is imported. For a table (CSV, TSV, XLSX, Parquet,
        JSON, or JSON Lines with other fields than `concord`), choose the columns next."""
        study = edited(request, slug)
        body = self.body()
        file = body["file"]
        if file.size > uploads.UPLOAD_BYTES:
            raise RefusedError(
                f"The file has more than {uploads.UPLOAD_BYTES // 2**20} MB. Split it.",
                "body-too-large",
            )
        stored = uploads.store_upload(
            study,
            file.name,
            file.read(),
            body["format"],
            body["use"],
            by=person(request),
            at=now(),
        )
        return self.answer(stored, location=reverse("api-upload", args=[slug, stored.pk]))


class OneUpload(ApiView):
    @operation(
        "Read an upload",
        scope="studies:read",
        answer=upload_detail_document,
        tag="study candidates",
        also={422: "The file is invalid; `errors` lists its problems."},
    )
    def get(self, request: Request, slug: str, upload: int) -> Response:
        """Reads the file and counts its candidates."""
        return self.answer(upload_of(viewed(request, slug), upload))

    @operation(
        "Choose an upload's columns",
        scope="studies:write",
        body=Columns,
        answer=upload_detail_document,
        tag="study candidates",
        example={"meanings": ["id", "question", "reference", "candidate", ""]},
    )
    def put(self, request: Request, slug: str, upload: int) -> Response:
        """Assigns a meaning to each column of a table."""
        row = upload_of(edited(request, slug), upload)
        body = self.body()
        if not upload_rows.is_table(row):
            raise UploadError("This file is no table: it has no columns to choose.")
        uploads.choose_columns(row, body.get("meanings"), body.get("sheet"))
        return self.answer(row)


class ImportUpload(ApiView):
    @operation(
        "Add an upload's candidates",
        scope="studies:write",
        body=serializer_of(ImportOptions, optional=("draw_questions",)),
        answer=candidate_import_document,
        status=202,
        creates=True,
        tag="study candidates",
        example={"span_based": []},
        answer_example=IMPORT_EXAMPLE | {"status": "queued", "percent": 0, "counts": None},
    )
    def post(self, request: Request, slug: str, upload: int) -> Response:
        """Starts an import, which adds all candidates or none. Poll the import at `Location`. If
        the upload has an active import, that one is returned."""
        row = upload_of(edited(request, slug), upload)
        body = self.body()
        protocol = row.study.current.protocol
        with transaction.atomic():
            job = candidate_imports.request(
                row,
                body["span_based"],
                body.get("draw_questions", protocol.draw_questions),
                by=person(request),
                at=now(),
            )
            send_after_commit(lambda: tasks.import_candidates.delay(job.pk))
        location = reverse("api-candidate-import", args=[slug, job.pk])
        return self.accepted(job, location)


class OneCandidateImport(ApiView):
    @operation(
        "Read an import of candidates",
        scope="studies:read",
        answer=candidate_import_document,
        tag="study candidates",
        answer_example=IMPORT_EXAMPLE,
    )
    def get(self, request: Request, slug: str, import_id: int) -> Response:
        """Poll until `status` is complete, failed or cancelled. With If-None-Match, the answer is
        304 while nothing has changed."""
        return self.answer(import_of(viewed(request, slug), import_id))
