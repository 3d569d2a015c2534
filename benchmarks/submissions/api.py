"""Submissions of metrics to a set, and the actions of their owners."""

from __future__ import annotations

from collections.abc import Callable

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

from benchmarks.runs import tasks
from benchmarks.runs.api.documents import run_document
from benchmarks.runs.models import MetricRun, Submission
from benchmarks.runs.services.answers import count_answers
from benchmarks.sets.models import Instance, JudgmentSet
from benchmarks.sets.services import access, hidden, reports
from benchmarks.sets.views.attachments import JSON_LINES, media_type
from benchmarks.submissions import services as submissions
from benchmarks.submissions.services.rules import NewSubmission
from benchmarks.submissions.views import submission_items
from concord.documents.conversion import fill
from concord.documents.runs import (
    HiddenLabelsDocument,
    SubmissionDocument,
)
from core.accounts.roles import Role
from core.accounts.views.shared import person
from core.column_bounds import max_length
from core.jobs import send_after_commit
from core.pages.errors import MissingError
from core.refusals import RefusedError
from core.rest.derived import DataclassSerializer
from core.rest.operations import FORM, operation
from core.rest.serializers import Flag, Paged, Strict
from core.rest.uploads import on_disk
from core.rest.views import ApiView

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


class HideLabels(Strict):
    splits = serializers.ListField(
        child=serializers.CharField(
            allow_blank=True, max_length=max_length(Instance, "split"), trim_whitespace=False
        ),
        max_length=100,
    )


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


def _change(summary: str, description: str, work: Callable[[Submission], object]) -> type[ApiView]:
    """An endpoint by which owners change a submission."""

    class Change(ApiView):
        @operation(
            summary,
            scope="submissions:write",
            answer=submission_document,
            changes=lambda: SubmissionView,
            tag="submissions",
            also={422: "The submission's state does not allow this; see `detail`."},
        )
        def post(self, request: Request, ref: str, submission: int) -> Response:
            row = _own(request, ref, submission)
            if row.is_withdrawn:
                raise RefusedError(f"{row.name} is withdrawn.", "submission-refused")
            work(row)
            return self.answer(_own(request, ref, submission))

        post.__doc__ = description

    return Change


def _retry(submission: Submission) -> None:
    with transaction.atomic():
        run = submissions.retry(submission, at=now())
        send_after_commit(lambda: tasks.enqueue([run]))


PublishSubmission = _change(
    "Publish a submission",
    "Everybody who may see the board sees it. It must be scored, and its name must be unique.",
    lambda submission: submissions.publish(submission, at=now()),
)
HideSubmission = _change(
    "Make a submission private", "Only its owner sees it.", submissions.make_private
)
WithdrawSubmission = _change(
    "Withdraw a submission",
    "Delete its scores permanently. The submission itself stays recorded.",
    lambda submission: submissions.withdraw(submission, at=now()),
)
StopSubmission = _change(
    "Stop a submission's scoring",
    "A retry reuses the scores computed so far.",
    lambda submission: submissions.stop(submission, at=now()),
)
RetrySubmission = _change(
    "Retry a submission's scoring",
    "Queue it again if it failed or was stopped, or was carried over without all scores.",
    _retry,
)


class HiddenLabelsView(ApiView):
    @operation(
        "Read which labels are hidden",
        scope="sets:read",
        answer=HiddenLabelsDocument,
        tag="sets",
    )
    def get(self, request: Request, ref: str) -> Response:
        judgment_set = access.set_for(request.user, ref)
        return self.answer({"splits": sorted(hidden.hidden_splits(judgment_set))})

    @operation(
        "Choose which labels are hidden",
        scope="sets:write",
        body=HideLabels,
        answer=HiddenLabelsDocument,
        changes=lambda: HiddenLabelsView,
        tag="sets",
        example={"splits": ["test"]},
    )
    def put(self, request: Request, ref: str) -> Response:
        """Hide the labels of these splits and no others, in every version of the set."""
        judgment_set = access.set_for(request.user, ref, Role.EDITOR)
        splits = set(self.body()["splits"])
        hidden_splits = hidden.hidden_splits(judgment_set)
        existing = {hidden.WHOLE, *reports.group_names(judgment_set)["split"], *hidden_splits}
        if unknown := sorted(splits - existing):
            message = f"{judgment_set} has no split {', '.join(unknown)}."
            raise serializers.ValidationError({"splits": [message]})
        with transaction.atomic():
            for split in splits - hidden_splits:
                hidden.hide(judgment_set, split, at=now())
            for split in hidden_splits - splits:
                hidden.reveal(judgment_set, split)
        return self.answer({"splits": sorted(splits)})


def _own(request: Request, ref: str, pk: int) -> Submission:
    judgment_set = access.set_for(request.user, ref)
    submission = submissions.own_submissions(judgment_set, request.user).filter(pk=pk).first()
    if submission is None:
        raise MissingError(f"You have no submission {pk} to {judgment_set}.")
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
