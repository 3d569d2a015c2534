"""The button that creates a study with a set's lost minimal pairs or largest disagreements."""

from __future__ import annotations

import secrets

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.timezone import now
from django.views.decorators.http import require_POST

from annotation.studies.services.access import RESEARCHERS_ONLY, may_create_studies
from annotation.studies.views.access import person
from benchmarks.errors.forms import ErrorsQuery, PairsQuery, labels_of
from benchmarks.errors.services import studies_from_sets
from benchmarks.errors.services.studies_from_sets import StudyItems
from benchmarks.runs.finding import find_complete_run
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.views.access import find_set
from concord.protocols import PRESETS
from core.refusals import RefusedError


def form_context(request: HttpRequest, judgment_set: JudgmentSet) -> dict[str, object]:
    """The context of the button's form; empty for users who may not create such a study."""
    if not (may_create_studies(request.user) and studies_from_sets.may_copy(judgment_set)):
        return {}
    return {"presets": PRESETS, "default_preset": studies_from_sets.default_preset(judgment_set)}


@require_POST
@login_required
def study_from_set(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    if not may_create_studies(request.user):
        raise PermissionDenied(RESEARCHERS_ONLY)
    items = request.POST.get("items")
    if items not in (studies_from_sets.LOST_PAIRS, studies_from_sets.DISAGREEMENTS):
        raise RefusedError("Send `items`: lost-pairs or disagreements.", "not-found")
    page = "minimal-pairs" if items == studies_from_sets.LOST_PAIRS else "errors"
    try:
        study = studies_from_sets.create(
            judgment_set,
            _items(request, judgment_set, items),
            preset_name=request.POST.get("preset", ""),
            owner=person(request),
            seed=secrets.randbits(62),
            at=now(),
        )
    except RefusedError as error:
        if error.status == 404:
            raise
        messages.error(request, str(error))
        form_only = ("csrfmiddlewaretoken", "items", "preset")
        page_query = {key: request.POST[key] for key in request.POST if key not in form_only}
        return redirect(f"{reverse(page, args=[ref])}?{urlencode(page_query)}")
    messages.success(request, f"The private study {study.slug} was created with these items.")
    return redirect("study-candidates", study.slug)


def _items(request: HttpRequest, judgment_set: JudgmentSet, items: str) -> StudyItems:
    if items == studies_from_sets.LOST_PAIRS:
        query = PairsQuery.read(request.POST)
        run = find_complete_run(judgment_set, query["run"] or 0)
        return studies_from_sets.lost_pairs(judgment_set, run, query["phenomenon"])
    query = ErrorsQuery.read(request.POST)
    run = find_complete_run(judgment_set, query["run"] or 0)
    other = find_complete_run(judgment_set, query["other"]) if query["other"] else None
    return studies_from_sets.disagreements(
        judgment_set,
        run,
        other,
        query["count"],
        direction=query["show"],
        **labels_of(query),
    )
