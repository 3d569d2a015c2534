"""Reviewing what a crowd submitted, its books, and files in and out."""

from __future__ import annotations

from typing import Any

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
from annotation.crowds.services import batches, panel_files, progress, results, reviewing
from annotation.crowds.services import books as bookkeeping
from annotation.crowds.services.orders import offer_of
from annotation.crowds.services.results import FILE_BYTES
from annotation.crowds.services.reviewing import Rule
from annotation.crowds.services.syncing import Synced
from annotation.crowds.views.study import publication_of
from annotation.rating.models import Rating
from annotation.studies.errors import StudyError
from annotation.studies.models import Study
from annotation.studies.views.access import person, study_page, study_view
from core.accounts.roles import Role

SHOWN = 25


@require_safe
@study_view(Role.VIEWER)
def review(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Submissions to be decided on, those with a problem first; below, those decided."""
    return _page(request, study, pk)


@require_POST
@study_view(Role.OWNER)
def approve_by_rule(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    found = publication_of(study, pk)
    form = RuleForm(request.POST)
    if not form.is_valid():
        return _page(request, study, pk, rule=form, status=422)
    rule = Rule(fewest_seconds=form.cleaned_data["fewest_seconds"])
    count = reviewing.approve_by_rule(found, rule, by=person(request), at=now())
    tasks.after_commit(tasks.make_crowd_calls, found.pk)
    noun = "approval is" if count == 1 else "approvals are"
    messages.success(request, f"{count:,} {noun} ordered.")
    return redirect("study-crowd-review", study.slug, pk)


@require_POST
@study_view(Role.OWNER)
def decide(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """One submission: `action` is approve, reject or bonus."""
    rows = CrowdAssignment.objects.filter(publication__stage__study=study)
    crowd = rows.select_related("publication__stage__study", "listing").filter(pk=pk).first()
    if crowd is None:
        raise Http404("The study has no such submission.")
    try:
        said = _decide(request, crowd)
    except StudyError as error:
        messages.error(request, str(error))
    else:
        tasks.after_commit(tasks.make_crowd_calls, crowd.publication_id)
        messages.success(request, said)
    return redirect("study-crowd-review", study.slug, crowd.publication_id)


@require_safe
@study_view(Role.VIEWER)
def books(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    found = publication_of(study, pk)
    context = {
        "tab": "crowd",
        "publication": found,
        "progress": progress.progress(found),
        "books": bookkeeping.books(found),
        "payments": bookkeeping.payments(found),
    }
    return study_page(request, "annotation/crowds/books.html", study, context)


@require_POST
@study_view(Role.EDITOR)
def audit(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    """Ask the provider for its side of the books."""
    try:
        found = bookkeeping.audit(publication_of(study, pk), at=now())
    except CrowdError as error:
        messages.error(request, str(error))
    else:
        if found.theirs is None:
            messages.success(request, "This crowd keeps no books that could be asked for.")
        elif found.balance:
            messages.success(request, "Both sides of the books say the same, to the cent.")
        else:
            messages.error(request, "The books differ: sync, and see which side has more.")
    return redirect("study-crowd-books", study.slug, pk)


@require_POST
@study_view(Role.OWNER)
def take_file(request: HttpRequest, study: Study, kind: str) -> HttpResponse:
    """A panel's list of who finished, or a batch's results, into the stage of this kind."""
    stage = study.stages.filter(kind=kind).exclude(kind="qualification").first()
    if stage is None:
        raise Http404("The study has no such stage.")
    form = FileForm(request.POST, request.FILES)
    if not form.is_valid() or form.cleaned_data["file"].size > FILE_BYTES:
        messages.error(request, "Choose a CSV file of at most 32 MB. Nothing was changed.")
        return redirect("study-crowd", study.slug)
    try:
        found = results.take_in(stage, form.cleaned_data["file"].read(), at=now())
    except StudyError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, _told(found))
    return redirect("study-crowd", study.slug)


@require_safe
@study_view(Role.VIEWER)
def input_file(request: HttpRequest, study: Study, kind: str) -> HttpResponse:
    return _download(study, kind, "input.csv", "text/csv", batches.input_file)


@require_safe
@study_view(Role.VIEWER)
def template(request: HttpRequest, study: Study, kind: str) -> HttpResponse:
    return _download(
        study, kind, "template.html", "text/plain", lambda stage: [batches.template(stage)]
    )


@require_safe
@study_view(Role.OWNER)
def decisions(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    found = publication_of(study, pk)
    response = HttpResponse("".join(panel_files.decisions(found)), content_type="text/csv")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-decisions.csv"'
    return response


def _page(
    request: HttpRequest,
    study: Study,
    pk: int,
    rule: RuleForm | None = None,
    status: int = 200,
) -> HttpResponse:
    found = publication_of(study, pk)
    rows = reviewing.waiting(found).order_by("-problem", "submitted_at", "pk")
    page = Paginator(rows, SHOWN).get_page(request.GET.get("page"))
    decided = found.assignments.filter(status__in=("approved", "rejected"))
    context: dict[str, Any] = {
        "tab": "crowd",
        "publication": found,
        "rule": rule or RuleForm(initial={"fewest_seconds": _fewest_seconds(study)}),
        "fitting": reviewing.fitting(found, Rule()).count(),
        "page": page,
        "ratings": _ratings(page.object_list),
        "decided": decided.select_related("participation__worker").order_by("-decided_at")[:SHOWN],
        "decided_count": decided.count(),
        "owed": reviewing.owed(found),
        "approval": ApprovalForm(),
        "rejection": RejectionForm(offer_of(found)),
        "bonus": BonusForm(),
    }
    return study_page(request, "annotation/crowds/review.html", study, context, status=status)


def _decide(request: HttpRequest, crowd: CrowdAssignment) -> str:
    """Order what the form says; the sentence to show. Raises StudyError."""
    by, at = person(request), now()
    match request.POST.get("action"):
        case "approve":
            reviewing.approve(crowd, feedback=request.POST.get("feedback", ""), by=by, at=at)
            return "The approval is ordered."
        case "reject":
            given = {name: request.POST.get(name, "") for name in ("ground", "feedback")}
            reviewing.reject(crowd, given["ground"], given["feedback"], by=by, at=at)
            return "The rejection is ordered; it can be taken back for thirty days."
        case "bonus":
            form = BonusForm(request.POST)
            if not form.is_valid():
                raise StudyError("A bonus needs an amount in dollars, and what it is for.")
            reviewing.bonus(
                crowd, form.cleaned_data["amount"], form.cleaned_data["reason"], by=by, at=at
            )
            return "The bonus is ordered."
    raise StudyError("Choose what is to be done.")


def _ratings(crowds: Any) -> dict[int, list[Rating]]:
    """The ratings of each submission shown, by its key; one query."""
    by_assignment = {crowd.assignment_id: crowd.pk for crowd in crowds if crowd.assignment_id}
    rows = Rating.objects.filter(assignment__in=by_assignment).select_related("candidate__instance")
    found: dict[int, list[Rating]] = {}
    for rating in rows:
        found.setdefault(by_assignment[rating.assignment_id], []).append(rating)
    return found


def _fewest_seconds(study: Study) -> float:
    return study.current.protocol.quality.fewest_seconds_a_rating


def _download(study: Study, kind: str, name: str, content_type: str, made: Any) -> HttpResponse:
    stage = study.stages.filter(kind=kind).exclude(kind="qualification").first()
    if stage is None:
        raise Http404("The study has no such stage.")
    response = HttpResponse("".join(made(stage)), content_type=f"{content_type}; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-{kind}-{name}"'
    return response


def _told(found: panel_files.Reconciled | Synced) -> str:
    if isinstance(found, Synced):
        taken = found.submitted + found.decided
        return f"{taken:,} submissions of {found.listings:,} HITs are taken in."
    said = [f"{found.submitted + found.decided:,} taken in, {found.known:,} known before."]
    for names, what in (
        ([f"line {line}" for line in found.strangers], "in the file and never here"),
        (found.wrong_codes, "with a code that is not theirs"),
        (found.missing, "finished here and not in the file"),
    ):
        if names:
            shown = ", ".join(names[:5]) + (" …" if len(names) > 5 else "")
            said.append(f"{len(names):,} {what}: {shown}.")
    return " ".join(said)
