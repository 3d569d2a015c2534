"""The raters' page before the collection, with the HITs that a stage has or would have."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext

from annotation.markdown import render as render_markdown
from annotation.rating.services import invitations
from annotation.rating.services.hit_members import members
from annotation.rating.services.main_choices import choices
from annotation.rating.views.joining import study_of
from annotation.rating.views.language import speak_to_visitor
from annotation.rating.views.page_guard import open_page
from annotation.rating.views.script_texts import script_texts
from annotation.rating.views.task_display import lazy_dollars, sections
from annotation.stages.services.stage_figures import cached_plan
from annotation.stages.services.stage_plans import candidates_in
from annotation.studies.models import Stage, Study, StudyCandidate
from annotation.studies.services import access
from concord.protocols import Protocol
from core.accounts.roles import Role
from core.pages.queries import row_number
from core.refusals import RefusedError

PREVIEWED_HITS = 10


@open_page("GET")
def preview(request: HttpRequest, slug: str) -> HttpResponse:
    """The first HITs of a stage as a rater will see them. Creates nothing."""
    study = study_of(slug)
    speak_to_visitor(request, study)
    _check_may_preview(request, study)
    stages = list(study.stages.all())
    kind = request.GET.get("stage", "")
    stage = next((s for s in stages if s.kind == kind), stages[0])
    protocol = study.current.protocol
    context = {
        "study": study,
        "protocol": protocol,
        "stages": stages,
        "stage": stage,
        "key": request.GET.get("key", ""),
    }
    try:
        hits = _first_hits(stage)
    except RefusedError as error:
        return render(
            request, "annotation/rating/preview_empty.html", context | {"reason": str(error)}
        )
    number = _number(request.GET.get("hit", ""), len(hits))
    context |= {"number": number, "numbers": range(1, len(hits) + 1)}
    context |= task_preview(protocol, hits[number - 1], study.seed)
    return render(request, "annotation/rating/task.html", context)


def task_preview(
    protocol: Protocol, candidates: Sequence[StudyCandidate], seed: int
) -> dict[str, object]:
    """The context of the raters' page that shows candidates without an assignment."""
    cents = protocol.pay.cents(len(candidates), protocol.hit.max_candidates)
    return {
        "preview": True,
        "protocol": protocol,
        "instructions": render_markdown(protocol.instructions),
        "examples": render_markdown(protocol.examples),
        "choices": choices(protocol),
        "sections": sections(protocol, candidates, seed, {}),
        "total": len(candidates),
        "rated": 0,
        "left": len(candidates),
        "pay": lazy_dollars(cents),
        "earned": lazy_dollars(0),
        "time_left": "",
        "script_texts": script_texts(),
    }


def _check_may_preview(request: HttpRequest, study: Study) -> None:
    user = getattr(request, "user", AnonymousUser())
    if request.GET.get("key"):
        invitations.check_preview(study, request.GET["key"])
    elif not access.allows(user, study, Role.VIEWER):
        raise RefusedError(
            gettext(
                "Only members of the study can see its preview. Sign in, or ask a member for a "
                "preview link."
            ),
            "link-refused",
        )


def _first_hits(stage: Stage) -> list[list[StudyCandidate]]:
    """The candidates of the stage's first HITs: those it has, or those it would have."""
    packed = list(stage.hits.order_by("index").values_list("pk", flat=True)[:PREVIEWED_HITS])
    if packed:
        return [members(pk) for pk in packed]
    first = cached_plan(stage)[:PREVIEWED_HITS]
    candidates = candidates_in(first)
    return [[candidates[key] for key in hit.keys] for hit in first]


def _number(text: str, last: int) -> int:
    return min(max(row_number(text) or 1, 1), last)
