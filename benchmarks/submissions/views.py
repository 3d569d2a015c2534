"""The page of submissions: submit a metric, manage one's own, and hide labels."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import IO, cast

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.files.uploadedfile import UploadedFile
from django.db import transaction
from django.http import (
    HttpRequest,
    HttpResponse,
    HttpResponseBase,
    QueryDict,
    StreamingHttpResponse,
)
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.datastructures import MultiValueDict
from django.utils.timezone import now
from django.views.decorators.http import require_POST, require_safe

from annotation.stages import score_files
from benchmarks.runs import tasks
from benchmarks.runs.models import MetricRun, Submission, visible_runs
from benchmarks.runs.services.answers import count_answers
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import hidden, reports
from benchmarks.sets.views.access import View, find_set, set_page, set_view
from benchmarks.sets.views.attachments import JSON_LINES, attachment
from benchmarks.submissions import services as submissions
from benchmarks.submissions.forms import (
    HiddenLabelsForm,
    SubmissionForm,
)
from benchmarks.submissions.services import files
from concord.formats import FormatError
from core.accounts.roles import Role
from core.accounts.views.shared import person
from core.pages.sending import send
from core.pages.views import add_refusal, refusals_to
from core.refusals import RefusedError
from core.security.declarations import costs

Kind = Submission.Kind


def require_sign_in(view: View) -> View:
    """Decorate a view: visitors sign in and then return to the set's page of submissions."""

    @wraps(view)
    def check(request: HttpRequest, ref: str, *args: object, **kwargs: object) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(reverse("submissions", args=[ref]))
        return view(request, ref, *args, **kwargs)

    return check


@require_safe
def submission_page(request: HttpRequest, ref: str) -> HttpResponse:
    return _page(request, find_set(ref, request.user), _form(request, _kind(request, request.GET)))


@require_POST
@require_sign_in
@costs(files=score_files.file_limits)
def submit(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    form = _form(request, _kind(request, request.POST), request.POST, request.FILES)
    if not form.is_valid():
        return _page(request, judgment_set, form, status=422)
    try:
        submission = _submit(request, judgment_set, form)
    except FormatError as error:
        return _page(request, judgment_set, form, problems=error, status=422)
    except RefusedError as error:
        add_refusal(form, error)
        return _page(request, judgment_set, form, status=422)
    if submission.is_from_file:
        messages.success(request, f"{submission.name} is on your board. Only you see it.")
    else:
        messages.success(request, f"{submission.name} is queued.")
    return redirect("submissions", ref=str(judgment_set))


@require_POST
@require_sign_in
@refusals_to("submissions", "ref")
def change_submission(request: HttpRequest, ref: str, pk: int) -> HttpResponse:
    """Publish, make private, withdraw, stop or retry a submission, as `do` says."""
    judgment_set = find_set(ref, request.user)
    submission = _own(request, judgment_set, pk)
    change = CHANGES.get(request.POST.get("do", ""))
    if change is None:
        raise RefusedError("Unknown action.", "submission-refused")
    messages.success(request, change(request, submission))
    return redirect("submissions", ref=str(judgment_set))


@require_safe
def submission_items(request: HttpRequest, ref: str) -> HttpResponseBase:
    """The items to score, without labels."""
    judgment_set = find_set(ref, request.user)
    response = StreamingHttpResponse(files.item_lines(judgment_set), content_type=JSON_LINES)
    return attachment(response, judgment_set, "items.jsonl")


@require_POST
@set_view(Role.EDITOR)
def hidden_labels(request: HttpRequest, judgment_set: JudgmentSet) -> HttpResponse:
    form = HiddenLabelsForm(request.POST)
    splits = {hidden.WHOLE, *reports.group_names(judgment_set)["split"]}
    if not form.is_valid() or form.cleaned_data["split"] not in splits | hidden.hidden_splits(
        judgment_set
    ):
        raise RefusedError(f"{judgment_set} has no such split.", "not-found")
    split = form.cleaned_data["split"]
    description = f"the split {split}" if split else "every split"
    if form.cleaned_data["do"] == "hide":
        hidden.hide(judgment_set, split, at=now())
        messages.success(request, f"Only the set's editors see the labels of {description} now.")
    else:
        hidden.reveal(judgment_set, split)
        messages.success(request, f"Everybody sees the labels of {description} again.")
    return redirect("submissions", ref=str(judgment_set))


def _own(request: HttpRequest, judgment_set: JudgmentSet, pk: int) -> Submission:
    rows = submissions.own_submissions(judgment_set, request.user)
    submission = rows.filter(pk=pk, withdrawn_at=None).first()
    if submission is None:
        raise RefusedError(f"You have no submission {pk} to {judgment_set}.", "not-found")
    return submission


def _publish(request: HttpRequest, submission: Submission) -> str:
    submissions.publish(submission, at=now())
    return f"{submission.name} is public."


def _make_private(request: HttpRequest, submission: Submission) -> str:
    submissions.make_private(submission)
    return f"{submission.name} is private again."


def _withdraw(request: HttpRequest, submission: Submission) -> str:
    submissions.withdraw(submission, at=now())
    return f"{submission.name} is withdrawn, and its scores are deleted."


def _stop(request: HttpRequest, submission: Submission) -> str:
    submissions.stop(submission, at=now())
    return f"{submission.name} is stopped. A retry reuses the scores computed so far."


def _retry(request: HttpRequest, submission: Submission) -> str:
    with transaction.atomic():
        run = submissions.retry(submission, at=now())
        send(request, lambda: tasks.enqueue([run]))
    return f"{submission.name} is queued again."


CHANGES: dict[str, Callable[[HttpRequest, Submission], str]] = {
    "publish": _publish,
    "make-private": _make_private,
    "withdraw": _withdraw,
    "stop": _stop,
    "retry": _retry,
}


def _submit(request: HttpRequest, judgment_set: JudgmentSet, form: SubmissionForm) -> Submission:
    info, owner = form.info(), person(request)
    if form.kind in Submission.FROM_FILE:
        with _on_disk(form.cleaned_data["scores"]) as path:
            submit = submissions.FROM_FILE[form.kind]
            return submit(judgment_set, info, path, owner=owner, at=now())
    source = form.cleaned_data["source"]
    with transaction.atomic():
        submission = submissions.submit_metric(
            judgment_set, info, form.kind, source, owner=owner, at=now()
        )
        run = cast(MetricRun, submissions.run_of(submission))
        send(request, lambda: tasks.enqueue([run]))
    return submission


@contextmanager
def _on_disk(upload: IO[bytes]) -> Iterator[Path]:
    """The path of a temporary copy of an upload; deleted after the block."""
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as copy:
        for chunk in iter(lambda: upload.read(1 << 20), b""):
            copy.write(chunk)
        copy.flush()
        yield Path(copy.name)


def _kind(request: HttpRequest, values: QueryDict) -> str:
    """The requested kind if the account may submit it, else uploaded scores."""
    kind = values.get("kind", "")
    return kind if kind in {value for value, _ in _kinds(request)} else Kind.SCORES


def _kinds(request: HttpRequest) -> list[tuple[str, str]]:
    """The kinds that the account may submit, as values and labels."""
    is_researcher = request.user.is_staff
    return [
        (kind.value, kind.label)
        for kind in Submission.SUBMITTED
        if is_researcher or kind != Kind.ENTRY_POINT
    ]


def _form(
    request: HttpRequest,
    kind: str,
    data: QueryDict | None = None,
    files: MultiValueDict[str, UploadedFile[bytes]] | None = None,
) -> SubmissionForm:
    return SubmissionForm(data, files, kind=kind)


def _page(
    request: HttpRequest,
    judgment_set: JudgmentSet,
    form: SubmissionForm,
    *,
    problems: FormatError | None = None,
    status: int = 200,
) -> HttpResponse:
    user = request.user
    own = list(submissions.own_submissions(judgment_set, user))
    runs = {run.submission_id: run for run in visible_runs(judgment_set).with_progress()}
    answers = count_answers(own)
    owner = person(request) if user.is_authenticated else None
    masked = hidden.hidden_splits(judgment_set)
    context = {
        "tab": "runs",
        "form": form,
        "kinds": _kinds(request),
        "own": [
            {
                "it": one,
                "run": runs.get(one.pk),
                "answers": answers.get(one.pk),
            }
            for one in own
        ],
        "any_active": any(run.is_active for run in runs.values() if run.submission_id),
        "left": submissions.remaining_today(judgment_set, owner, at=now()) if owner else None,
        "left_in_all": submissions.remaining_in_all(judgment_set, owner),
        "problems": problems,
        "masked": sorted(masked),
        "splits": [
            split for split in reports.group_names(judgment_set)["split"] if split not in masked
        ],
    }
    return set_page(
        request, "benchmarks/submissions/submissions.html", judgment_set, context, status=status
    )
