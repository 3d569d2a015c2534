"""What the pages of analyses share: asking for one, stopping it, saying how it stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest
from django.utils.timezone import now

from benchmarks.analyses import services as analyses
from benchmarks.analyses import tasks
from benchmarks.analyses.models import Analysis
from benchmarks.sets.models import JudgmentSet
from core.pages.sending import send


def standing(kind: str, judgment_set: JudgmentSet, asked: Mapping[str, object]) -> dict[str, Any]:
    """The analysis for a template: "analysis" (None if nobody asked), "seconds", "refused"."""
    try:
        return {
            "analysis": analyses.answer(kind, judgment_set, asked),
            "seconds": analyses.seconds(kind, judgment_set, asked),
        }
    except analyses.AnalysisRefusedError as error:
        return {"analysis": None, "refused": str(error)}


def complete(context: dict[str, Any]) -> Analysis | None:
    """The analysis of `standing`, if it is complete."""
    found: Analysis | None = context["analysis"]
    return found if found is not None and found.status == Analysis.Status.COMPLETE else None


def start_or_stop(
    request: HttpRequest, kind: str, judgment_set: JudgmentSet, asked: Mapping[str, object]
) -> None:
    """Ask for an analysis and send its task, or, with `stop` in the post, stop it; say so."""
    try:
        if "stop" in request.POST:
            found = analyses.found(kind, judgment_set, asked)
            if found is not None and found.cancel(at=now()):
                messages.success(request, "The computation is stopped.")
            return
        analysis = analyses.ask(kind, judgment_set, asked)
        if analysis.is_active:
            messages.success(request, "The computation is on its way.")
            send(request, lambda: tasks.compute_analysis.delay(analysis.pk))
    except analyses.AnalysisRefusedError as error:
        messages.error(request, str(error))
