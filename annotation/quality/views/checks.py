"""Spot checks and adjudication."""

from __future__ import annotations

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.timezone import now
from django.views.decorators.http import require_POST, require_safe

from annotation.quality.forms import AdjudicationForm
from annotation.quality.services import adjudication as adjudicating
from annotation.quality.services import checking
from annotation.quality.services.rating_data import kept_ratings
from annotation.studies.models import Study
from annotation.studies.views.access import person, study_page, study_view
from core.accounts.roles import Role
from core.pages.views import refusals_to
from core.refusals import RefusedError

PAGE_SIZE = 10


@require_safe
@study_view(Role.VIEWER)
def spot_checks(request: HttpRequest, study: Study) -> HttpResponse:
    context = {
        "tab": "spot-checks",
        "queue": checking.spot_check_queue(study),
        "share": study.current.protocol.quality.spot_check_share,
        "protocol": study.current.protocol,
    }
    return study_page(request, "annotation/quality/spot_checks.html", study, context)


@require_POST
@refusals_to("study-spot-checks", "slug")
@study_view(Role.EDITOR)
def give_verdict(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    rating = get_object_or_404(kept_ratings(study), pk=pk)
    verdict = request.POST.get("verdict", "")
    checking.give_verdict(rating, verdict, by=person(request), at=now())
    return redirect("study-spot-checks", study.slug)


@require_safe
@study_view(Role.VIEWER)
def adjudication(request: HttpRequest, study: Study) -> HttpResponse:
    return _page(request, study, request.GET.get("criterion", ""))


@require_POST
@study_view(Role.EDITOR)
def adjudicate(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    candidate = study.candidates.filter(pk=pk).select_related("study").first()
    if candidate is None:
        raise Http404("The study has no such candidate.")
    criterion = request.POST.get("criterion", "")
    if "unsettle" in request.POST:
        adjudicating.remove_adjudication(candidate, criterion)
        messages.success(request, f"{candidate.key}: the aggregate counts again.")
        return _back(study, criterion)
    form = AdjudicationForm(request.POST)
    if form.is_valid():
        values = form.cleaned_data
        try:
            adjudicating.adjudicate(
                candidate, values["value"], values["note"], criterion, by=person(request), at=now()
            )
        except RefusedError as error:
            form.add_error("value", str(error))
        else:
            messages.success(request, f"{candidate.key} now has the value {values['value']:g}.")
            return _back(study, criterion)
    return _page(request, study, criterion, (candidate.pk, form), status=422)


def _back(study: Study, criterion: str) -> HttpResponse:
    query = {"criterion": criterion} if criterion else None
    return redirect(reverse("study-adjudication", args=[study.slug], query=query))


def _page(
    request: HttpRequest,
    study: Study,
    criterion: str,
    invalid_form: tuple[int, AdjudicationForm] | None = None,
    status: int = 200,
) -> HttpResponse:
    protocol = study.current.protocol
    try:
        question = adjudicating.question_of(protocol, criterion)
    except RefusedError as error:
        raise Http404(str(error)) from error
    wanted = request.GET.get("by")
    by = next((one for one in question.measures if one == wanted), question.measures[0])
    show_all = request.GET.get("show") == "all"
    data = adjudicating.kept_values(study, question)
    rows = adjudicating.disagreements(study, question, data, by, include_adjudicated=show_all)
    page = Paginator(rows, PAGE_SIZE).get_page(request.GET.get("page"))
    context: dict[str, object] = {
        "tab": "adjudication",
        "question": question,
        "questions": adjudicating.questions_of(protocol),
        "unit": protocol.unit,
        "by": by,
        "show_all": show_all,
        "total": len(rows),
        "page": page,
        "split": adjudicating.with_texts(question, data, list(page.object_list)),
        "invalid_form": invalid_form,
    }
    return study_page(
        request, "annotation/quality/adjudication.html", study, context, status=status
    )
