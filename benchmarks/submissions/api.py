"""Submissions: people's own metrics on a set, and what their owners do with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.db import transaction
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.timezone import now
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.runs import tasks
from benchmarks.runs.api.documents import RunDocument
from benchmarks.runs.models import MetricRun, Submission
from benchmarks.sets.models import Instance, JudgmentSet
from benchmarks.sets.services import access, hidden, reports
from benchmarks.sets.views.attachments import JSON_LINES, media_type
from benchmarks.submissions import services as submissions
from benchmarks.submissions.views import submission_items
from core.accounts.roles import Role
from core.column_bounds import max_length
from core.pages.errors import MissingError
from core.rest.operations import FORM, operation
from core.rest.serializers import Flag, Paged, Strict
from core.rest.uploads import on_disk
from core.rest.views import ApiView

Kind = Submission.Kind

LINES = media_type(JSON_LINES)


class SubmissionDocument(serializers.Serializer[Submission]):
    """A metric that somebody submitted; its scores are a metric run."""

    id = serializers.IntegerField(source="pk")
    judgment_set = serializers.CharField(help_text="NAME@VERSION.")
    kind = serializers.ChoiceField(Kind.choices)
    name = serializers.CharField()
    authors = serializers.CharField()
    link = serializers.CharField()
    note = serializers.CharField()
    higher_is_better = Flag()
    source = serializers.CharField()  # type: ignore[assignment]
    created_at = serializers.DateTimeField()
    published_at = serializers.DateTimeField(allow_null=True)
    withdrawn_at = serializers.DateTimeField(allow_null=True)
    run = serializers.SerializerMethodField(help_text="Null once it is withdrawn.")

    @extend_schema_field(RunDocument(allow_null=True))
    def get_run(self, found: Submission) -> Any:
        runs = MetricRun.objects.with_progress().filter(submission=found)
        run = runs.prefetch_related("judgment_set").first()
        return None if run is None else RunDocument(run).data


class Submit(Strict):
    """A metric, by a file of its scores, by what computes them here, or by its endpoint."""

    kind = serializers.ChoiceField(Kind.choices)
    name = serializers.CharField(max_length=max_length(Submission, "name"))
    scores = serializers.FileField(
        required=False, allow_empty_file=True, help_text="Of kind scores: JSON Lines."
    )
    source = serializers.CharField(  # type: ignore[assignment]
        required=False,
        max_length=max_length(Submission, "source"),
        help_text="Of the other kinds: the entry point's name, or the endpoint's address.",
    )
    higher_is_better = Flag(default=True)
    authors = serializers.CharField(
        default="", allow_blank=True, max_length=max_length(Submission, "authors")
    )
    link = serializers.CharField(
        default="", allow_blank=True, max_length=max_length(Submission, "link")
    )
    note = serializers.CharField(
        default="", allow_blank=True, max_length=max_length(Submission, "note")
    )

    def validate(self, given: dict[str, Any]) -> dict[str, Any]:
        needed = "scores" if given["kind"] == Kind.SCORES else "source"
        if needed not in given:
            raise serializers.ValidationError({needed: ["This kind of submission needs it."]})
        return given


class ListSubmissions(Paged):
    withdrawn = Flag(default=False, help_text="Withdrawn ones, too.")


class HiddenLabelsDocument(serializers.Serializer[Any]):
    """Whose labels are hidden from all but the set's editors."""

    splits = serializers.ListField(
        child=serializers.CharField(allow_blank=True), help_text="An empty name: every split."
    )


class HideLabels(Strict):
    splits = serializers.ListField(
        child=serializers.CharField(
            allow_blank=True, max_length=max_length(Instance, "split"), trim_whitespace=False
        ),
        max_length=100,
    )


class Submissions(ApiView):
    @operation(
        "List your submissions",
        scope="sets:read",
        query=ListSubmissions,
        answer=SubmissionDocument,
        pages=True,
        tag="submissions",
    )
    def get(self, request: Request, ref: str) -> Response:
        """To this version, latest first; for administrators everybody's."""
        asked = self.query()
        found = submissions.manageable(access.set_for(request.user, ref), request.user)
        if not asked["withdrawn"]:
            found = found.filter(withdrawn_at=None)
        return self.page_of_query(found, "-created_at", "-pk")

    @operation(
        "Submit a metric",
        scope="submissions:write",
        body=Submit,
        takes=FORM,
        answer=SubmissionDocument,
        status=201,
        creates=True,
        tag="submissions",
        example={"kind": "scores", "name": "My metric", "scores": "(a file)"},
    )
    def post(self, request: Request, ref: str) -> Response:
        """It is private until you publish it. A file that is at fault does not count for the day's
        limit; `errors` names its lines."""
        judgment_set = access.set_for(request.user, ref)
        given = self.body()
        names = ("higher_is_better", "link", "authors", "note")
        about = submissions.About(given["name"], **{name: given[name] for name in names})
        made = _submit(judgment_set, about, given, request.user)
        return self.answer(made, location=reverse("api-submission", args=[ref, made.pk]))


class OneSubmission(ApiView):
    @operation(
        "Read a submission",
        scope="sets:read",
        answer=SubmissionDocument,
        tag="submissions",
    )
    def get(self, request: Request, ref: str, submission: int) -> Response:
        """One of yours, with the progress of its run."""
        return self.answer(_own(request, ref, submission))


def _change(summary: str, told: str, work: Callable[[Submission], object]) -> type[ApiView]:
    """An endpoint that changes one's own submission."""

    class Change(ApiView):
        @operation(
            summary,
            scope="submissions:write",
            answer=SubmissionDocument,
            changes=lambda: OneSubmission,
            tag="submissions",
            also={422: "It is not in a state for this; it says why."},
        )
        def post(self, request: Request, ref: str, submission: int) -> Response:
            found = _own(request, ref, submission)
            if found.is_withdrawn:
                raise submissions.SubmissionRefusedError(f"{found.name} is withdrawn.")
            work(found)
            return self.answer(_own(request, ref, submission))

        post.__doc__ = told

    return Change


def _retry(submission: Submission) -> None:
    with transaction.atomic():
        run = submissions.retry(submission, at=now())
        transaction.on_commit(lambda: tasks.enqueue([run]))


PublishSubmission = _change(
    "Publish a submission",
    "Shows it to everybody who sees the board; it must be scored, and its name free.",
    lambda found: submissions.publish(found, at=now()),
)
HideSubmission = _change(
    "Make a submission private", "Shows it to its owner alone.", submissions.make_private
)
WithdrawSubmission = _change(
    "Withdraw a submission",
    "Deletes its scores for good; that it was submitted is kept.",
    lambda found: submissions.withdraw(found, at=now()),
)
StopSubmission = _change(
    "Stop a submission's scoring",
    "What is scored is kept for a retry.",
    lambda found: submissions.stop(found, at=now()),
)
RetrySubmission = _change(
    "Retry a submission's scoring", "Queues it where it failed or was stopped.", _retry
)


class HiddenLabels(ApiView):
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
        changes=lambda: HiddenLabels,
        tag="sets",
        example={"splits": ["test"]},
    )
    def put(self, request: Request, ref: str) -> Response:
        """Of these splits and no others, in every version of the set."""
        judgment_set = access.set_for(request.user, ref, Role.EDITOR)
        wanted = set(self.body()["splits"])
        before = hidden.hidden_splits(judgment_set)
        known = {hidden.WHOLE, *reports.group_names(judgment_set)["split"], *before}
        if unknown := sorted(wanted - known):
            message = f"{judgment_set} has no split {', '.join(unknown)}."
            raise serializers.ValidationError({"splits": [message]})
        with transaction.atomic():
            for split in wanted - before:
                hidden.hide(judgment_set, split, at=now())
            for split in before - wanted:
                hidden.reveal(judgment_set, split)
        return self.answer({"splits": sorted(wanted)})


def _own(request: Request, ref: str, pk: int) -> Submission:
    judgment_set = access.set_for(request.user, ref)
    found = submissions.manageable(judgment_set, request.user).filter(pk=pk).first()
    if found is None:
        raise MissingError(f"You have no submission {pk} to {judgment_set}.")
    return found


def _submit(
    judgment_set: JudgmentSet, about: submissions.About, given: dict[str, Any], owner: Any
) -> Submission:
    if given["kind"] == Kind.SCORES:
        with on_disk([given["scores"]], max_bytes=settings.SUBMISSION_MAX_BYTES) as (path,):
            return submissions.submit_scores(judgment_set, about, path, owner=owner, at=now())
    with transaction.atomic():
        made = submissions.submit_metric(
            judgment_set, about, given["kind"], given["source"], owner=owner, at=now()
        )
        run = submissions.run_of(made)
        assert run is not None
        transaction.on_commit(lambda: tasks.enqueue([run]))
    return made


class Items(ApiView):
    @operation(
        "Download items to score",
        scope="sets:read",
        visitors=True,
        sends=LINES,
        tag="downloads",
    )
    def get(self, request: Request, ref: str) -> HttpResponseBase:
        """JSON Lines of everything a submission scores, without a label."""
        return submission_items(request._request, ref)
