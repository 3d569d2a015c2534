"""Pages before the collection: the cost of the stages, and the first HITs."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from annotation.rating.services.invitations import signed_preview
from annotation.stages.services import stage_figures
from annotation.stages.services.sampling_rules import sampling_of_study
from annotation.stages.services.stage_plans import candidates_in
from annotation.studies.models import Stage, Study
from annotation.studies.views.access import study_page, study_view
from core.accounts.roles import Role
from core.refusals import RefusedError

HITS_SHOWN = 3


@require_safe
@study_view(Role.VIEWER)
def cost(request: HttpRequest, study: Study) -> HttpResponse:
    total = stage_figures.study_cost(study)
    context = {
        "tab": "cost",
        "cost": total,
        "protocol": study.current.protocol,
        "sampling": sampling_of_study(study),
        "preview_url": rater_preview(study, _first_planned([c.stage for c in total.stages]).kind),
    }
    return study_page(request, "annotation/stages/cost.html", study, context)


@require_safe
@study_view(Role.VIEWER)
def preview(request: HttpRequest, study: Study) -> HttpResponse:
    """The first HITs of a stage. Opening the stage creates exactly these."""
    stages = list(study.stages.select_related("study").order_by("number"))
    kinds = [stage.kind for stage in stages]
    kind = request.GET.get("stage", "")
    current_stage = stages[kinds.index(kind)] if kind in kinds else _first_planned(stages)
    context: dict[str, object] = {
        "tab": "cost",
        "stages": stages,
        "current_stage": current_stage,
        "protocol": study.current.protocol,
        "preview_url": rater_preview(study, current_stage.kind),
    }
    try:
        context |= _first_hits(current_stage)
    except RefusedError as error:
        context["problem"] = str(error)
    return study_page(request, "annotation/stages/preview.html", study, context)


def rater_preview(study: Study, kind: str) -> str:
    """The URL of the raters' preview of a stage; it can be shared."""
    key = urlencode({"stage": kind, "key": signed_preview(study)})
    return f"{reverse('rating-preview', args=[study.slug])}?{key}"


def _first_planned(stages: list[Stage]) -> Stage:
    return next((s for s in stages if s.status == Stage.Status.PLANNED), stages[-1])


def _first_hits(stage: Stage) -> dict[str, object]:
    plan = stage_figures.cached_plan(stage)
    candidates = candidates_in(plan[:HITS_SHOWN])
    protocol = stage.study.current.protocol
    max_candidates = protocol.hit.max_candidates
    hits = [
        {
            "number": number,
            "wanted": hit.wanted,
            "pay_cents": protocol.pay.cents(len(hit.keys), max_candidates),
            "candidates": [candidates[key] for key in hit.keys],
        }
        for number, hit in enumerate(plan[:HITS_SHOWN], start=1)
    ]
    return {"hits": hits, "hit_count": len(plan)}
