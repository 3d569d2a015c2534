"""Before collecting: what the stages ask and cost, and the first HITs as raters will see them."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from annotation.rating.services.invitations import signed_preview
from annotation.stages.services import plans
from annotation.stages.services.stage_plans import planned_hits
from annotation.studies.errors import StudyError
from annotation.studies.models import Stage, Study
from annotation.studies.views.access import study_page, study_view
from core.accounts.roles import Role

HITS_SHOWN = 3


@require_safe
@study_view(Role.VIEWER)
def cost(request: HttpRequest, study: Study) -> HttpResponse:
    total = plans.study_cost(study)
    context = {
        "tab": "cost",
        "cost": total,
        "protocol": study.current.protocol,
        "preview_url": rater_preview(study, _first_planned([c.stage for c in total.stages]).kind),
    }
    return study_page(request, "annotation/stages/cost.html", study, context)


@require_safe
@study_view(Role.VIEWER)
def preview(request: HttpRequest, study: Study) -> HttpResponse:
    """The first HITs of a stage, by the packing that opening it makes."""
    stages = list(study.stages.select_related("study").order_by("number"))
    kinds = [stage.kind for stage in stages]
    kind = request.GET.get("stage", "")
    chosen = stages[kinds.index(kind)] if kind in kinds else _first_planned(stages)
    context: dict[str, Any] = {
        "tab": "cost",
        "stages": stages,
        "chosen": chosen,
        "protocol": study.current.protocol,
        "preview_url": rater_preview(study, chosen.kind),
    }
    try:
        context |= _first_hits(chosen)
    except StudyError as error:
        context["problem"] = str(error)
    return study_page(request, "annotation/stages/preview.html", study, context)


def rater_preview(study: Study, kind: str) -> str:
    """The address of the raters' own preview of a stage; it can be shown to others."""
    key = urlencode({"stage": kind, "key": signed_preview(study)})
    return f"{reverse('rating-preview', args=[study.slug])}?{key}"


def _first_planned(stages: list[Stage]) -> Stage:
    return next((s for s in stages if s.status == Stage.Status.PLANNED), stages[-1])


def _first_hits(stage: Stage) -> dict[str, Any]:
    plan = planned_hits(stage)
    protocol = stage.study.current.protocol
    most = protocol.hit.most_candidates
    hits = [
        {
            "number": number,
            "wanted": hit.wanted,
            "pay_cents": protocol.pay.cents(len(hit.keys), most),
            "candidates": [plan.candidates[key] for key in hit.keys],
        }
        for number, hit in enumerate(plan.hits[:HITS_SHOWN], start=1)
    ]
    return {"hits": hits, "hit_count": len(plan.hits)}
