"""What is to be rated: files uploaded, looked into and taken in, pairs written by hand."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.urls import reverse
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.studies import csv_intake, intake, tasks
from annotation.studies.api.access import edited, import_of, person, upload_of, viewed
from annotation.studies.models import StudyCandidate, StudyInstance, Upload
from annotation.studies.services import candidate_imports, uploads
from concord.formats import Limits
from concord.protocols.protocol import MAX_DRAWN_QUESTIONS
from core.column_bounds import max_length
from core.rest.operations import FORM, operation
from core.rest.parsers import BodyTooLargeError
from core.rest.serializers import Paged, Strict
from core.rest.views import ApiView
from core.rest.work import WorkDocument


class UploadDocument(serializers.Serializer[Upload]):
    """A file that waits to be taken in; gone after a day."""

    id = serializers.IntegerField(source="pk")
    name = serializers.CharField()
    format = serializers.CharField()
    use = serializers.ChoiceField(tuple(uploads.USES))
    needs_columns = serializers.SerializerMethodField(
        help_text="Whether it is a CSV whose columns are still to be chosen."
    )
    columns = serializers.DictField(allow_null=True, help_text="Of a CSV: header and meanings.")
    created_at = serializers.DateTimeField()

    def get_needs_columns(self, found: Upload) -> bool:
        return uploads.needs_columns(found)


class UploadDetailDocument(UploadDocument):
    """A file with what it holds."""

    contents = serializers.SerializerMethodField(
        help_text="Counts, once the columns are known; null before."
    )

    def get_contents(self, found: Upload) -> dict[str, Any] | None:
        if uploads.needs_columns(found):
            return None
        contents = uploads.look_into(found)
        names = ("candidates", "pairs", "instances", "passages", "without_score")
        counts: dict[str, Any] = {name: getattr(contents, name) for name in names}
        for name in ("constituents", "systems", "splits"):
            counts[name] = [[label, n] for label, n in getattr(contents, name)]
        return counts


class NewUpload(Strict):
    file = serializers.FileField(allow_empty_file=True)
    format = serializers.CharField(
        required=False, max_length=40, help_text="concord, csv, ...; by default by the file's name."
    )
    use = serializers.ChoiceField(tuple(uploads.USES), default="rated")

    def validate_format(self, given: str) -> str:
        known = [*intake.FORMATS, uploads.CSV]
        if given not in known:
            raise serializers.ValidationError(f"There are: {', '.join(known)}.")
        return given


class Columns(Strict):
    meanings = serializers.ListField(
        child=serializers.ChoiceField(("", *csv_intake.MEANINGS)),
        max_length=1000,
        help_text="What each column of the header holds; empty: nothing that is needed.",
    )


class TakeIn(Strict):
    span_based = serializers.ListField(
        child=serializers.CharField(max_length=500),
        default=list,
        max_length=1000,
        help_text="Constituents whose answers are spans of the passage.",
    )
    draw_questions = serializers.IntegerField(
        min_value=1,
        max_value=MAX_DRAWN_QUESTIONS,
        required=False,
        allow_null=True,
        help_text="How many questions the study rates, drawn at random from those uploaded; null: "
        "all; absent: as the protocol says.",
    )


class CandidateImportDocument(WorkDocument):
    """An upload's candidates, being added to the study."""

    study = serializers.CharField(source="study.slug")
    name = serializers.CharField(help_text="The file's.")
    counts = serializers.DictField(
        child=serializers.IntegerField(),
        allow_null=True,
        help_text="What became of the candidates; null until they are added.",
    )


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


class NewPair(Strict):
    instance = serializers.CharField(
        max_length=max_length(StudyInstance, "key"), help_text="Key of one of the study's."
    )
    better = serializers.CharField(max_length=Limits.max_field_chars)
    worse = serializers.CharField(max_length=Limits.max_field_chars)
    phenomenon = serializers.CharField(
        default="", allow_blank=True, max_length=Limits.max_name_chars
    )


class WrittenPairDocument(serializers.Serializer[Any]):
    """The minimal pair that was added."""

    pair = serializers.CharField()


class StudyCandidateDocument(serializers.Serializer[StudyCandidate]):
    """One answer of the study."""

    id = serializers.IntegerField(source="pk")
    key = serializers.CharField()
    use = serializers.ChoiceField(StudyCandidate.Use.choices)
    drop_reason = serializers.CharField()
    text = serializers.CharField()
    system = serializers.CharField()
    instance = serializers.CharField(source="instance.key")  # type: ignore[assignment]
    question = serializers.CharField(source="instance.question")
    references = serializers.ListField(child=serializers.CharField(), source="instance.references")
    constituent = serializers.CharField(source="instance.constituent")
    split = serializers.CharField(source="instance.split")
    expected = serializers.IntegerField(allow_null=True, help_text="Of tests and hidden checks.")
    same_as = serializers.IntegerField(
        source="same_as_id", allow_null=True, help_text="Whose ratings it shares."
    )
    pair = serializers.CharField()


class ListCandidates(Paged):
    use = serializers.ChoiceField(StudyCandidate.Use.choices, required=False)
    system = serializers.CharField(required=False, max_length=500)


class Candidates(ApiView):
    @operation(
        "List a study's candidates",
        scope="studies:read",
        query=ListCandidates,
        answer=StudyCandidateDocument,
        pages=True,
        tag="study candidates",
    )
    def get(self, request: Request, slug: str) -> Response:
        """All that were taken in, those left out by a rule too, by their place."""
        asked = self.query()
        wanted = {name: asked[name] for name in ("use", "system") if name in asked}
        rows = viewed(request, slug).candidates.select_related("instance").filter(**wanted)
        return self.page_of_query(rows, "position")


class Uploads(ApiView):
    @operation(
        "List uploads",
        scope="studies:read",
        query=Paged,
        answer=UploadDocument,
        pages=True,
        tag="study candidates",
    )
    def get(self, request: Request, slug: str) -> Response:
        """Files that wait to be taken in, latest first."""
        found = viewed(request, slug).uploads.defer("content")
        return self.page_of_query(found, "-created_at", "-pk")

    @operation(
        "Upload candidates",
        scope="studies:write",
        body=NewUpload,
        takes=FORM,
        answer=UploadDetailDocument,
        status=201,
        creates=True,
        tag="study candidates",
        example={"file": "(a file)", "use": "rated"},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Kept for a day, until it is taken in. The columns of a CSV are chosen next."""
        study = edited(request, slug)
        given = self.body()
        file = given["file"]
        if file.size > uploads.UPLOAD_BYTES:
            raise BodyTooLargeError(
                f"At most {uploads.UPLOAD_BYTES // 2**20} MB are taken at once: split the file."
            )
        is_table = file.name.casefold().endswith((".csv", ".tsv", ".txt"))
        made = uploads.keep_upload(
            study,
            file.name,
            file.read(),
            given.get("format") or (uploads.CSV if is_table else "concord"),
            given["use"],
            by=person(request),
            at=now(),
        )
        return self.answer(made, location=reverse("api-upload", args=[slug, made.pk]))


class OneUpload(ApiView):
    @operation(
        "Read an upload",
        scope="studies:read",
        answer=UploadDetailDocument,
        tag="study candidates",
        also={422: "The file is faulty; `errors` says where."},
    )
    def get(self, request: Request, slug: str, upload: int) -> Response:
        """What the file holds, counted."""
        return self.answer(upload_of(viewed(request, slug), upload))

    @operation(
        "Choose an upload's columns",
        scope="studies:write",
        body=Columns,
        answer=UploadDetailDocument,
        tag="study candidates",
        example={"meanings": ["id", "question", "reference", "candidate", ""]},
    )
    def put(self, request: Request, slug: str, upload: int) -> Response:
        """What each column of a CSV holds."""
        found = upload_of(edited(request, slug), upload)
        meanings = self.body()["meanings"]
        if found.format != uploads.CSV:
            raise uploads.UploadError("Only a CSV has columns to choose.")
        uploads.choose_columns(found, meanings)
        return self.answer(found)

    @operation("Put an upload aside", scope="studies:write", status=204, tag="study candidates")
    def delete(self, request: Request, slug: str, upload: int) -> Response:
        """Nothing of it is taken in."""
        uploads.discard(upload_of(edited(request, slug), upload), at=now())
        return Response(status=204)


class TakeUploadIn(ApiView):
    @operation(
        "Add an upload's candidates",
        scope="studies:write",
        body=TakeIn,
        answer=CandidateImportDocument,
        status=202,
        creates=True,
        tag="study candidates",
        example={"span_based": []},
        answer_example=IMPORT_EXAMPLE | {"status": "queued", "percent": 0, "counts": None},
    )
    def post(self, request: Request, slug: str, upload: int) -> Response:
        """A worker adds all of them, or none: ask for the import, at `Location`, until it has
        ended. Asked for twice at once, it is one import."""
        found = upload_of(edited(request, slug), upload)
        given = self.body()
        protocol = found.study.current.protocol
        with transaction.atomic():
            asked = candidate_imports.request(
                found,
                given["span_based"],
                given.get("draw_questions", protocol.draw_questions),
                by=person(request),
                at=now(),
            )
            transaction.on_commit(lambda: tasks.import_candidates.delay(asked.pk))
        location = reverse("api-candidate-import", args=[slug, asked.pk])
        return self.accepted(asked, location)


class OneCandidateImport(ApiView):
    @operation(
        "Read an import of candidates",
        scope="studies:read",
        answer=CandidateImportDocument,
        tag="study candidates",
        answer_example=IMPORT_EXAMPLE,
    )
    def get(self, request: Request, slug: str, import_id: int) -> Response:
        """Ask again until `status` is complete, failed or cancelled; with If-None-Match, what has
        not advanced is not sent again."""
        return self.answer(import_of(viewed(request, slug), import_id))


class StopCandidateImport(ApiView):
    @operation(
        "Stop an import of candidates",
        scope="studies:write",
        answer=CandidateImportDocument,
        changes=lambda: OneCandidateImport,
        tag="study candidates",
        answer_example=IMPORT_EXAMPLE,
    )
    def post(self, request: Request, slug: str, import_id: int) -> Response:
        """No candidate is added. One that has ended stays as it is."""
        study = edited(request, slug)
        import_of(study, import_id).cancel(at=now())
        return self.answer(import_of(study, import_id))


class WritePair(ApiView):
    @operation(
        "Write a minimal pair",
        scope="studies:write",
        body=NewPair,
        answer=WrittenPairDocument,
        status=201,
        creates=True,
        tag="study candidates",
        example={"instance": "m-4", "better": "in 1912", "worse": "in 1921"},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Two answers to one instance, which no worker rates together."""
        study = edited(request, slug)
        given = self.body()
        key = uploads.write_pair(
            study,
            given["instance"],
            given["better"],
            given["worse"],
            given["phenomenon"],
        )
        return self.answer({"pair": key}, location=reverse("api-study-candidates", args=[slug]))
