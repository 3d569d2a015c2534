"""Spot checks and adjudication."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.timezone import now
from django.views.decorators.http import require_POST, require_safe

from annotation.quality.forms import AdjudicationForm
from annotation.quality.services import checking, ledgers
from annotation.quality.services.checking import CheckRefusedError
from annotation.quality.services.rating_data import collect_gold_ratings, kept_ratings
from annotation.studies.models import Study
from annotation.studies.views.access import person, study_page, study_view
from core.accounts.roles import Role

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
@study_view(Role.EDITOR)
def give_verdict(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    rating = get_object_or_404(kept_ratings(study), pk=pk)
    try:
        verdict = request.POST.get("verdict", "")
        checking.give_verdict(rating, verdict, by=person(request), at=now())
    except CheckRefusedError as error:
        messages.error(request, str(error))
    return redirect("study-spot-checks", study.slug)


@require_safe
@study_view(Role.VIEWER)
def adjudication(request: HttpRequest, study: Study) -> HttpResponse:
    return _page(request, study)


@require_POST
@study_view(Role.EDITOR)
def adjudicate(request: HttpRequest, study: Study, pk: int) -> HttpResponse:
    candidate = study.candidates.filter(pk=pk).select_related("study").first()
    if candidate is None:
        raise Http404("The study has no such candidate.")
    if "unsettle" in request.POST:
        checking.remove_adjudication(candidate)
        messages.success(request, f"{candidate.key}: the aggregate counts again.")
        return redirect("study-adjudication", study.slug)
    form = AdjudicationForm(request.POST)
    if form.is_valid():
        values = form.cleaned_data
        try:
            checking.adjudicate(
                candidate, values["value"], values["note"], by=person(request), at=now()
            )
        except CheckRefusedError as error:
            form.add_error("value", str(error))
        else:
            messages.success(request, f"{candidate.key} now has the value {values['value']:g}.")
            return redirect("study-adjudication", study.slug)
    return _page(request, study, (candidate.pk, form), status=422)


def _page(
    request: HttpRequest,
    study: Study,
    invalid_form: tuple[int, AdjudicationForm] | None = None,
    status: int = 200,
) -> HttpResponse:
    by: Any = "sd" if request.GET.get("by") == "sd" else "range"
    show_all = request.GET.get("show") == "all"
    data = collect_gold_ratings(study)
    kept_data = data.keep(ledgers.ledger_report(study, data).kept)
    total, rows = checking.disagreements(study, kept_data, by, include_adjudicated=show_all)
    page = Paginator(rows, PAGE_SIZE).get_page(request.GET.get("page"))
    context: dict[str, Any] = {
        "tab": "adjudication",
        "by": by,
        "show_all": show_all,
        "total": total,
        "page": page,
        "split": checking.with_texts(kept_data, list(page.object_list)),
        "protocol": study.current.protocol,
        "invalid_form": invalid_form,
    }
    return study_page(
        request, "annotation/quality/adjudication.html", study, context, status=status
    )
