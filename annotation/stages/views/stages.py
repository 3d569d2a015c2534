"""The stages: progress, figures to check before opening one, opening, closing, missing ratings."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.timezone import now
from django.views.decorators.http import require_POST, require_safe

from annotation.stages.services import missing_ratings, opening, stage_figures
from annotation.stages.services.sampling_rules import sampling_of_study
from annotation.stages.services.set_up_costs import MAX_PACKED_AT_ONCE
from annotation.stages.services.stage_plans import needs_no_ratings
from annotation.studies.models import Stage, Study
from annotation.studies.views.access import person, study_page, study_view
from concord.sentences import counted
from core.accounts.roles import Role
from core.pages.polling import wants_fragment
from core.pages.views import refusals_to


@require_safe
@study_view(Role.VIEWER)
def stages(request: HttpRequest, study: Study) -> HttpResponse:
    progress = stage_figures.stages_progress(study)
    planned = (
        one
        for one in progress
        if one.stage.status == Stage.Status.PLANNED and not needs_no_ratings(one.stage)
    )
    to_open = next(planned, None)
    context: dict[str, object] = {
        "tab": "stages",
        "stages": progress,
        "any_open": any(p.stage.status == Stage.Status.OPEN for p in progress),
        "to_open": to_open,
    }
    if not wants_fragment(request):
        context |= _gate(study, progress)
        if to_open is not None and study.candidates.count() <= MAX_PACKED_AT_ONCE:
            context |= {
                "cost_to_open": stage_figures.stage_cost(to_open.stage),
                "protocol": study.current.protocol,
            }
    return study_page(
        request,
        "annotation/stages/stages.html",
        study,
        context,
        fragment="annotation/stages/_stages.html",
    )


@require_POST
@refusals_to("study-stages", "slug")
@study_view(Role.EDITOR)
def open_stage(request: HttpRequest, study: Study, kind: str) -> HttpResponse:
    stage = find_stage(study, kind)
    hits = opening.open_stage(stage, by=person(request), at=now())
    messages.success(request, f"The {stage.kind} stage is open with {counted(hits, 'HIT')}.")
    return redirect("study-stages", study.slug)


@require_POST
@study_view(Role.EDITOR)
def close_stage(request: HttpRequest, study: Study, kind: str) -> HttpResponse:
    stage = find_stage(study, kind)
    if stage.status == Stage.Status.OPEN:
        opening.close_stage(stage, at=now())
        messages.success(
            request,
            f"The {stage.kind} stage is closed. Raters may still submit tasks in progress.",
        )
    return redirect("study-stages", study.slug)


@require_POST
@study_view(Role.EDITOR)
def top_up(request: HttpRequest, study: Study, kind: str) -> HttpResponse:
    stage = find_stage(study, kind)
    hits = opening.top_up(stage)
    if hits:
        messages.success(
            request, f"{counted(hits, 'HIT was', 'HITs were')} added for the missing ratings."
        )
    else:
        messages.error(request, "No ratings are missing in an open stage.")
    return redirect("study-stages", study.slug)


def find_stage(study: Study, kind: str) -> Stage:
    """The study's stage of this kind. Raises Http404."""
    stage = study.stages.filter(kind=kind).select_related("study").first()
    if stage is None:
        raise Http404("The study has no such stage.")
    return stage


def _gate(study: Study, progress: list[stage_figures.StageProgress]) -> dict[str, object]:
    """What is shown above and beside the buttons that open and close stages."""
    return {
        "invitation": reverse("rating-join", args=[study.slug]),
        "sampling": sampling_of_study(study),
        "has_ratings": any(one.ratings for one in progress),
        "compares": study.current.protocol.compares,
        "trial_counted": study.current.protocol.trial_counts,
        "trial_is_over": any(
            p.stage.kind == Stage.Kind.TRIAL and missing_ratings.full_stage_has_started(p.stage)
            for p in progress
        ),
        "short": {
            p.stage.kind: len(missing_ratings.candidates_missing_ratings(p.stage))
            for p in progress
            if p.stage.status == Stage.Status.OPEN
        },
    }
