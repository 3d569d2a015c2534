"""One worker of a study: figures, ratings, messages; excluding and readmitting."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.timezone import now
from django.views.decorators.http import require_POST, require_safe

from annotation.quality.forms import DropRatingForm, ReasonForm
from annotation.quality.services import ledgers, worker_reports
from annotation.quality.services.collected import collected, kept_ratings
from annotation.quality.services.ledgers import LedgerRefusedError
from annotation.rating.models import Message, Participation
from annotation.rating.services import participation
from annotation.studies.models import Study
from annotation.studies.views.access import person, study_page, study_view
from core.accounts.roles import Role

RATINGS_SHOWN = 100


@require_safe
@study_view(Role.VIEWER)
def worker(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    return _page(request, study, _participation(study, name), ReasonForm())


@require_POST
@study_view(Role.EDITOR)
def exclude(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    found = _participation(study, name)
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return _page(request, study, found, form, status=422)
    ledgers.exclude_worker(found, form.cleaned_data["reason"], by=person(request), at=now())
    messages.success(
        request, f"{name} gets no more HITs, and their ratings do not count. Pay is untouched."
    )
    return redirect("study-worker", study.slug, name)


@require_POST
@study_view(Role.EDITOR)
def readmit(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    ledgers.readmit_worker(_participation(study, name), at=now())
    messages.success(request, f"{name} is readmitted.")
    return redirect("study-worker", study.slug, name)


@require_POST
@study_view(Role.EDITOR)
def drop_rating(request: HttpRequest, study: Study) -> HttpResponse:
    """Leave one rating out, by a step of the ledger."""
    form = DropRatingForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Say which rating, of which worker.")
        return redirect("study-quality", study.slug)
    given = form.cleaned_data
    try:
        row = ledgers.drop_rating(
            study,
            given["candidate"],
            given["worker"],
            given["reason"],
            by=person(request),
            at=now(),
        )
    except LedgerRefusedError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"The rating is left out by step {row.number} of the ledger.")
    return redirect("study-quality", study.slug)


def _participation(study: Study, name: str) -> Participation:
    rows = study.participations.select_related("worker", "study")
    found = rows.filter(worker__name=name).first()
    if found is None:
        raise Http404("Nobody of that name takes part in the study.")
    return found


def _page(
    request: HttpRequest,
    study: Study,
    found: Participation,
    form: ReasonForm,
    status: int = 200,
) -> HttpResponse:
    rows = worker_reports.worker_table(study, collected(study))
    ratings = kept_ratings(study).filter(worker=found.worker_id)
    context: dict[str, Any] = {
        "tab": "quality",
        "found": found,
        "row": next((row for row in rows if row.name == found.worker.name), None),
        "ratings": ratings.select_related("candidate__instance", "assignment__hit__stage").order_by(
            "-created_at", "-pk"
        )[:RATINGS_SHOWN],
        "rating_count": ratings.count(),
        "earned_cents": participation.earned_cents(found),
        "letters": Message.objects.filter(participation=found),
        "form": form,
    }
    return study_page(request, "annotation/quality/worker.html", study, context, status=status)
