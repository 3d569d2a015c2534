"""Coming in: an invitation's link, and a preview for those who made the study."""

from __future__ import annotations

import secrets
from http import HTTPStatus
from itertools import islice

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.timezone import now

from annotation.rating.services import invitations, participation
from annotation.rating.services.invitations import WORKER_ID_CHARS, Invitation
from annotation.rating.services.tokens import TokenError, token_for
from annotation.rating.views.door import PageError, open_page, readable
from annotation.rating.views.showing import choices, dollars, members, sections
from annotation.stages.services.stage_plans import planned_hits
from annotation.studies.errors import StudyError
from annotation.studies.models import Stage, Study, StudyCandidate
from annotation.studies.services import access
from core.accounts.roles import Role

# The parameter with which a platform sends a worker, and the provider that stands for.
PARAMETERS = {"PROLIFIC_PID": "prolific", "worker": "link"}
PREVIEWED_HITS = 10


@open_page("GET", "POST")
def join(request: HttpRequest, slug: str) -> HttpResponse:
    """Take the worker whom the address names into the study, and on to their own address.

    The same worker gets the same address at every visit. A visitor whom no parameter names gets
    a fresh id by a button, and not by the visit itself: links are also followed by programs.
    """
    study = _study(slug)
    invited = _invited(request, study)
    if invited is None:
        shown = {"study": study, "fresh_id": secrets.token_urlsafe(16)}
        return render(request, "annotation/rating/join.html", shown)
    if request.method == "HEAD":
        return HttpResponse()
    joined = participation.join(
        study, invited.provider, invited.worker_id, at=now(), simulated=invited.simulated
    )
    response = redirect("rating-home", token_for(joined))
    response.status_code = HTTPStatus.SEE_OTHER
    return response


@open_page("GET")
def preview(request: HttpRequest, slug: str) -> HttpResponse:
    """The first HITs of a stage as a rater will see them; creates nothing."""
    study = _study(slug)
    _check_may_preview(request, study)
    stages = list(study.stages.all())
    wanted = request.GET.get("stage", "")
    stage = next((s for s in stages if s.kind == wanted), stages[0])
    protocol = study.current.protocol
    shown = {
        "study": study,
        "protocol": protocol,
        "preview": True,
        "stages": stages,
        "stage": stage,
        "key": request.GET.get("key", ""),
        "choices": choices(protocol),
        "time_left": "",
    }
    try:
        hits = _first_hits(stage)
    except StudyError as error:
        return render(
            request, "annotation/rating/preview_empty.html", shown | {"reason": str(error)}
        )
    number = _number(request.GET.get("hit", ""), len(hits))
    candidates = hits[number - 1]
    cents = protocol.pay.cents(len(candidates), protocol.hit.most_candidates)
    shown |= {
        "sections": sections(candidates, study.seed, {}),
        "number": number,
        "numbers": range(1, len(hits) + 1),
        "total": len(candidates),
        "rated": 0,
        "left": len(candidates),
        "pay": dollars(cents),
        "earned": dollars(0),
    }
    return render(request, "annotation/rating/task.html", shown)


def _study(slug: str) -> Study:
    found = Study.objects.filter(slug=readable(slug)).first()
    if found is None:
        raise PageError(404, "There is no such study", "Open the link that you were given again.")
    return found


def _invited(request: HttpRequest, study: Study) -> Invitation | None:
    """Whom the address, or the button of `join`, names; None where neither names anyone."""
    if signed := request.GET.get("invite", ""):
        return invitations.read_invitation(study, signed)
    for parameter, provider in PARAMETERS.items():
        given = request.POST.get(parameter) or request.GET.get(parameter, "")
        worker_id = readable(given).strip()
        if len(worker_id) > WORKER_ID_CHARS:
            raise PageError(
                400,
                "That worker id is too long",
                f"A worker id has at most {WORKER_ID_CHARS} characters. Open your link again.",
            )
        if worker_id:
            return Invitation(provider, worker_id)
    return None


def _check_may_preview(request: HttpRequest, study: Study) -> None:
    user = getattr(request, "user", AnonymousUser())
    if request.GET.get("key"):
        invitations.check_preview(study, request.GET["key"])
    elif not access.allows(user, study, Role.VIEWER):
        raise TokenError("Only the study's members see its preview. Sign in, or ask for a link.")


def _first_hits(stage: Stage) -> list[list[StudyCandidate]]:
    """The candidates of the stage's first HITs: those it has, or those it will be packed in."""
    packed = list(stage.hits.order_by("index").values_list("pk", flat=True)[:PREVIEWED_HITS])
    if packed:
        return [members(pk) for pk in packed]
    planned = planned_hits(stage)
    first = islice(planned.hits, PREVIEWED_HITS)
    return [[planned.candidates[key] for key in hit.keys] for hit in first]


def _number(given: str, most: int) -> int:
    return min(max(int(given), 1), most) if given.isascii() and given.isdigit() else 1
