"""One worker of a study: figures, ratings, messages; excluding and readmitting."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.timezone import now
from django.views.decorators.http import require_POST, require_safe

from annotation.quality.forms import DropRatingForm, ReasonForm
from annotation.quality.services import ledgers, worker_reports
from annotation.quality.services.rating_data import collect_first_ratings, kept_ratings
from annotation.rating.models import Message, Participation
from annotation.rating.services import participation
from annotation.studies.models import Study
from annotation.studies.services.candidate_counts import texts_of
from annotation.studies.views.access import person, study_page, study_view
from core.accounts.roles import Role
from core.pages.views import refusals_to

RATINGS_SHOWN = 100


@require_safe
@study_view(Role.VIEWER)
def worker(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    return _page(request, study, _participation(study, name), ReasonForm())


@require_POST
@study_view(Role.EDITOR)
def exclude(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    row = _participation(study, name)
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return _page(request, study, row, form, status=422)
    ledgers.exclude_worker(row, form.cleaned_data["reason"], by=person(request), at=now())
    messages.success(
        request,
        f"{name} was excluded: no more HITs, and their ratings do not count. Pay is not affected.",
    )
    return redirect("study-worker", study.slug, name)


@require_POST
@study_view(Role.EDITOR)
def exclude_simulated(request: HttpRequest, study: Study) -> HttpResponse:
    """Exclude every simulated worker, so that people's ratings can be frozen."""
    count = ledgers.exclude_simulated_workers(study, by=person(request), at=now())
    messages.success(request, f"{count} simulated workers were excluded. This can be undone.")
    return redirect("study-quality", study.slug)


@require_POST
@study_view(Role.EDITOR)
def readmit(request: HttpRequest, study: Study, name: str) -> HttpResponse:
    ledgers.readmit_worker(_participation(study, name), at=now())
    messages.success(request, f"{name} was readmitted.")
    return redirect("study-worker", study.slug, name)


@require_POST
@refusals_to("study-quality", "slug")
@study_view(Role.EDITOR)
def drop_rating(request: HttpRequest, study: Study) -> HttpResponse:
    """Exclude one rating, by a step of the ledger."""
    form = DropRatingForm(request.POST)
    if not form.is_valid():
        messages.error(request, "Choose a rating of a worker.")
        return redirect("study-quality", study.slug)
    values = form.cleaned_data
    row = ledgers.drop_rating(
        study,
        values["candidate"],
        values["worker"],
        values["reason"],
        by=person(request),
        at=now(),
    )
    messages.success(request, f"Step {row.number} of the ledger excludes the rating.")
    return redirect("study-quality", study.slug)


def _participation(study: Study, name: str) -> Participation:
    rows = study.participations.select_related("worker", "study")
    row = rows.filter(worker__name=name).first()
    if row is None:
        raise Http404("The study has no worker of this name.")
    return row


def _page(
    request: HttpRequest,
    study: Study,
    worker_participation: Participation,
    form: ReasonForm,
    status: int = 200,
) -> HttpResponse:
    rows = worker_reports.worker_table(
        study, collect_first_ratings(study), study.current.protocol.level
    )
    ratings = kept_ratings(study).filter(worker=worker_participation.worker_id)
    shown = ratings.select_related("candidate__instance", "assignment__hit__stage").order_by(
        "-created_at", "-pk"
    )[:RATINGS_SHOWN]
    context: dict[str, object] = {
        "tab": "quality",
        "participation": worker_participation,
        "row": next((row for row in rows if row.name == worker_participation.worker.name), None),
        "ratings": shown,
        "texts": texts_of(rating.candidate.instance for rating in shown),
        "rating_count": ratings.count(),
        "earned_cents": participation.earned_cents(worker_participation),
        "messages_sent": Message.objects.filter(participation=worker_participation),
        "form": form,
    }
    return study_page(request, "annotation/quality/worker.html", study, context, status=status)
