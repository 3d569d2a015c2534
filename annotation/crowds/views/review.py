"""Pages for reviewing submissions, for payments, and for files in and out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.timezone import now
from django.views.decorators.http import require_POST, require_safe

from annotation.crowds import tasks
from annotation.crowds.forms import ApprovalForm, BonusForm, FileForm, RejectionForm, RuleForm
from annotation.crowds.models import CrowdAssignment
from annotation.crowds.providers.provider import CrowdError
from annotation.crowds.services import panel_files, payment_totals, progress, reviewing
from annotation.crowds.services.progress import publication_of
from annotation.crowds.services.publication_specs import offer_of
from annotation.crowds.services.reviewing import ApprovalRule
from annotation.crowds.views.study import report_queued
from annotation.rating.models import Rating
from annotation.studies.models import Study
from annotation.studies.views.access import person, study_page, study_view
from core.accounts.roles import Role
from core.pages.derived import DataclassForm
from core.pages.views import refusals_to
from core.refusals import RefusedError
from core.security.declarations import costs

PAGE_SIZE = 25
Kind = TypeVar("Kind")


@require_safe
@study_view(Role.VIEWER)
def review(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Submissions to review, those with a problem first, and reviewed submissions below."""
    return _page(request, study, pk)


@require_POST
@study_view(Role.OWNER)
def approve_by_rule(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    publication = publication_of(study, pk)
    form = RuleForm(request.POST)
    if not form.is_valid():
        return _page(request, study, pk, rule=form, status=422)
    count = reviewing.approve_by_rule(publication, form.value(), by=person(request), at=now())
    tasks.after_commit(tasks.make_crowd_calls, publication.pk)
    queued = "1 approval is queued." if count == 1 else f"{count:,} approvals are queued."
    report_queued(request, publication, queued)
    return redirect("study-crowd-review", study.slug, pk)


@require_POST
@study_view(Role.OWNER)
def decide(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Decide on one submission: `action` is approve, reject or bonus."""
    rows = CrowdAssignment.objects.filter(publication__stage__study=study)
    crowd = rows.select_related("publication__stage__study", "listing").filter(pk=pk).first()
    if crowd is None:
        raise Http404("The study has no such submission.")
    try:
        message = _decide(request, crowd)
    except RefusedError as error:
        messages.error(request, str(error))
    else:
        tasks.after_commit(tasks.make_crowd_calls, crowd.publication_id)
        report_queued(request, crowd.publication, message)
    return redirect("study-crowd-review", study.slug, crowd.publication_id)


@require_safe
@study_view(Role.VIEWER)
def payments(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    publication = publication_of(study, pk)
    context = {
        "tab": "crowd",
        "publication": publication,
        "progress": progress.progress(publication),
        "comparison": payment_totals.compare(publication),
        "payments": payment_totals.payments(publication),
    }
    return study_page(request, "annotation/crowds/payments.html", study, context)


@require_POST
@study_view(Role.EDITOR)
def refresh_payments(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Ask the provider for its payment totals."""
    try:
        comparison = payment_totals.refresh(publication_of(study, pk), at=now())
    except CrowdError as error:
        messages.error(request, str(error))
    else:
        if comparison.reported is None:
            messages.success(request, "This platform does not report payment totals.")
        elif comparison.matches:
            messages.success(request, "The totals recorded here equal those of the platform.")
        else:
            messages.error(request, "The totals differ. Sync, then compare the two rows.")
    return redirect("study-crowd-payments", study.slug, pk)


@require_POST
@refusals_to("study-crowd", "slug")
@study_view(Role.OWNER)
@costs(files=panel_files.file_limits)
def import_results(request: HttpRequest, study: Study, kind: str) -> HttpResponse:
    """Import a panel's list of finished workers for the stage."""
    stage = study.stages.filter(kind=kind).exclude(kind="qualification").first()
    if stage is None:
        raise Http404("The study has no such stage.")
    form = FileForm(request.POST, request.FILES)
    if not form.is_valid() or form.cleaned_data["file"].size > panel_files.FILE_BYTES:
        messages.error(request, "Choose a CSV file of at most 32 MB. Nothing was changed.")
        return redirect("study-crowd", study.slug)
    result = panel_files.import_results(stage, form.cleaned_data["file"].read(), at=now())
    messages.success(request, _results_message(result))
    return redirect("study-crowd", study.slug)


@require_safe
@study_view(Role.OWNER)
def decisions(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    publication = publication_of(study, pk)
    response = HttpResponse("".join(panel_files.decisions(publication)), content_type="text/csv")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-decisions.csv"'
    return response


def _page(
    request: HttpRequest,
    study: Study,
    pk: int,
    rule: RuleForm | None = None,
    status: int = 200,
) -> HttpResponse:
    publication = publication_of(study, pk)
    rows = reviewing.to_review(publication).order_by("-problem", "submitted_at", "pk")
    page = Paginator(rows, PAGE_SIZE).get_page(request.GET.get("page"))
    decided = publication.assignments.filter(status__in=("approved", "rejected"))
    context: dict[str, object] = {
        "tab": "crowd",
        "publication": publication,
        "rule": rule or RuleForm(initial={"min_seconds": _min_seconds(study)}),
        "approvable_count": reviewing.approvable(publication, ApprovalRule()).count(),
        "page": page,
        "ratings": _ratings(page.object_list),
        "decided": decided.select_related("participation__worker").order_by("-decided_at")[
            :PAGE_SIZE
        ],
        "decided_count": decided.count(),
        "underpaid": reviewing.underpaid(publication),
        "approval": ApprovalForm(),
        "rejection": RejectionForm(offer_of(publication)),
        "bonus": BonusForm(),
    }
    return study_page(request, "annotation/crowds/review.html", study, context, status=status)


def _value(form: DataclassForm[Kind]) -> Kind:
    """The value of a valid form. Raises RefusedError for the first invalid field."""
    for name, problems in form.errors.items():
        raise RefusedError(f"{form[name].label}: {problems[0]}", "study-refused")
    return form.value()


def _decide(request: HttpRequest, crowd: CrowdAssignment) -> str:
    """Queue the action of the form; returns the message to show. Raises RefusedError."""
    by, at = person(request), now()
    match request.POST.get("action"):
        case "approve":
            approval = _value(ApprovalForm(request.POST))
            reviewing.approve(crowd, feedback=approval.feedback, by=by, at=at)
            return "The approval is queued."
        case "reject":
            reason = _value(RejectionForm(offer_of(crowd.publication), request.POST))
            reviewing.reject(crowd, reason.ground, reason.feedback, by=by, at=at)
            return "The rejection is queued. It can be undone within thirty days."
        case "bonus":
            form = BonusForm(request.POST)
            if not form.is_valid():
                raise RefusedError(
                    "Enter the amount in dollars and the reason for the bonus.", "study-refused"
                )
            reviewing.bonus(
                crowd, form.cleaned_data["amount"], form.cleaned_data["reason"], by=by, at=at
            )
            return "The bonus is queued."
    raise RefusedError("Choose an action.", "study-refused")


def _ratings(crowds: Iterable[CrowdAssignment]) -> dict[int, list[Rating]]:
    """The ratings of each submission shown, by the submission's key; one query."""
    by_assignment = {crowd.assignment_id: crowd.pk for crowd in crowds if crowd.assignment_id}
    rows = Rating.objects.filter(assignment__in=by_assignment).select_related("candidate__instance")
    by_submission: dict[int, list[Rating]] = {}
    for rating in rows:
        by_submission.setdefault(by_assignment[rating.assignment_id], []).append(rating)
    return by_submission


def _min_seconds(study: Study) -> float:
    return study.current.protocol.quality.min_seconds_per_rating


def _results_message(result: panel_files.PanelFileResult) -> str:
    sentences = [f"{result.submitted + result.decided:,} imported, {result.unchanged:,} unchanged."]
    for names, problem in (
        ([f"line {line}" for line in result.unknown_lines], "in the file but unknown here"),
        (result.wrong_codes, "with a wrong completion code"),
        (result.missing, "finished here but missing in the file"),
    ):
        if names:
            shown = ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
            sentences.append(f"{len(names):,} {problem}: {shown}.")
    return " ".join(sentences)
