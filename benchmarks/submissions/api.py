"""Submissions of metrics to a set, and the actions of their owners."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth.models import User
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.stages import score_files
from benchmarks.runs import tasks
from benchmarks.runs.api.documents import run_document
from benchmarks.runs.models import MetricRun, Submission
from benchmarks.runs.services.answers import count_answers
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access
from benchmarks.sets.views.attachments import JSON_LINES, media_type
from benchmarks.submissions import services as submissions
from benchmarks.submissions.services.rules import NewSubmission
from benchmarks.submissions.views import submission_items
from concord.documents.conversion import fill
from concord.documents.runs import (
    SubmissionDocument,
)
from core.accounts.views.shared import person
from core.jobs import send_after_commit
from core.refusals import RefusedError
from core.rest.derived import DataclassSerializer
from core.rest.operations import FORM, operation
from core.rest.serializers import Flag, Paged
from core.rest.uploads import on_disk
from core.rest.views import ApiView
from core.security.declarations import costs

Kind = Submission.Kind

LINES = media_type(JSON_LINES)


def submission_document(submission: Submission) -> SubmissionDocument:
    source = submission.carried_from
    runs = MetricRun.objects.with_progress().filter(submission=submission)
    run = runs.prefetch_related("judgment_set").first()
    return fill(
        SubmissionDocument,
        submission,
        carried_from=source and str(source.judgment_set),
        answers=count_answers([submission]).get(submission.pk),
        run=run and run_document(run),
    )


class Submit(DataclassSerializer):
    dataclass = NewSubmission
    optional = ("source",)

    scores = serializers.FileField(
        required=False,
        allow_empty_file=True,
        help_text="For the kind scores: JSON Lines, or a table (CSV, TSV, XLSX, Parquet, JSON). For"
        " judgments: JSON Lines of a judge's answers.",
    )

    def validate(self, attrs: dict[str, object]) -> dict[str, object]:
        required = "scores" if attrs["kind"] in Submission.FROM_FILE else "source"
        if required not in attrs:
            raise serializers.ValidationError(
                {required: ["This kind of submission needs this field."]}
            )
        return attrs


class ListSubmissions(Paged):
    withdrawn = Flag(default=False, help_text="Whether to include withdrawn submissions.")


@costs(files=score_files.file_limits)
class SubmissionsView(ApiView):
    @operation(
        "List your submissions",
        scope="sets:read",
        query=ListSubmissions,
        answer=submission_document,
        pages=True,
        tag="submissions",
    )
    def get(self, request: Request, ref: str) -> Response:
        """Your submissions to this version, latest first. Administrators see all submissions."""
        judgment_set = access.set_for(request.user, ref)
        rows = submissions.own_submissions(judgment_set, request.user)
        if not self.query()["withdrawn"]:
            rows = rows.filter(withdrawn_at=None)
        return self.page_of_query(rows, "-created_at", "-pk")

    @operation(
        "Submit a metric",
        scope="submissions:write",
        body=Submit,
        takes=FORM,
        answer=submission_document,
        status=201,
        creates=True,
        tag="submissions",
        example={"kind": "scores", "name": "My metric", "scores": "(a file)"},
    )
    def post(self, request: Request, ref: str) -> Response:
        """The submission is private until you publish it. An invalid file does not count towards
        the daily limit; `errors` lists its lines."""
        judgment_set = access.set_for(request.user, ref)
        body = self.body()
        info = self.input(NewSubmission)
        submission = _submit(judgment_set, info, body.get("scores"), person(request))
        location = reverse("api-submission", args=[ref, submission.pk])
        return self.answer(submission, location=location)


class SubmissionView(ApiView):
    @operation(
        "Read a submission",
        scope="sets:read",
        answer=submission_document,
        tag="submissions",
    )
    def get(self, request: Request, ref: str, submission: int) -> Response:
        """One of your submissions, with the progress of its run."""
        return self.answer(_own(request, ref, submission))


def _own(request: Request, ref: str, pk: int) -> Submission:
    judgment_set = access.set_for(request.user, ref)
    submission = submissions.own_submissions(judgment_set, request.user).filter(pk=pk).first()
    if submission is None:
        raise RefusedError(f"You have no submission {pk} to {judgment_set}.", "not-found")
    return submission


def _submit(
    judgment_set: JudgmentSet,
    info: NewSubmission,
    scores: UploadedFile[bytes] | None,
    owner: User | None,
) -> Submission:
    if info.kind in Submission.FROM_FILE:
        assert scores is not None, "the body is checked"
        with on_disk([scores], max_bytes=settings.SUBMISSION_MAX_BYTES) as (path,):
            submit = submissions.FROM_FILE[info.kind]
            return submit(judgment_set, info, path, owner=owner, at=now())
    with transaction.atomic():
        submission = submissions.submit_metric(
            judgment_set, info, info.kind, info.source, owner=owner, at=now()
        )
        run = submissions.run_of(submission)
        assert run is not None
        send_after_commit(lambda: tasks.enqueue([run]))
    return submission


class SubmissionItemsView(ApiView):
    @operation(
        "Download items to score",
        scope="sets:read",
        visitors=True,
        sends=LINES,
        tag="downloads",
    )
    def get(self, request: Request, ref: str) -> HttpResponseBase:
        """JSON Lines of all items that a submission scores, without labels."""
        return submission_items(request._request, ref)
