"""Shared by the pages of analyses: state of an analysis, start and stop."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from functools import partial

from django.contrib import messages
from django.http import HttpRequest
from django.utils.timezone import now

from benchmarks.analyses import services as analyses
from benchmarks.analyses import tasks
from benchmarks.analyses.models import Analysis
from benchmarks.analyses.page import Context
from benchmarks.sets.models import JudgmentSet
from core.pages.sending import send
from core.refusals import RefusedError


def starts_at(request: HttpRequest) -> datetime | None:
    """The time at which a page that is opened may start analyses; None for visitors, of whom there
    are any number."""
    return now() if request.user.is_authenticated else None


def analysis_context(
    kind: str, judgment_set: JudgmentSet, parameters: Mapping[str, object], *, store: bool = True
) -> Context:
    """The template's "analysis" (None if nobody requested it) and "seconds", or "refused"."""
    try:
        return {
            "analysis": analyses.find_or_compute(kind, judgment_set, parameters, store=store),
            "seconds": analyses.estimate_seconds(kind, judgment_set, parameters),
        }
    except RefusedError as error:
        return {"analysis": None, "refused": str(error)}


def started_context(
    request: HttpRequest,
    kind: str,
    judgment_set: JudgmentSet,
    parameters: Mapping[str, object],
    *,
    is_usual: bool = True,
) -> Context:
    """The `analysis_context`, in which an analysis that nobody requested is started for an account
    that opens the page, if it is short enough.

    is_usual: False for options of which there are so many that only editors may start them, and
    that a quick analysis is not stored.
    """
    context = analysis_context(kind, judgment_set, parameters, store=is_usual)
    at = starts_at(request)
    if at is None or not is_usual or context["analysis"] is not None or "refused" in context:
        return context
    try:
        analysis = analyses.request_if_short(kind, judgment_set, parameters, at=at)
    except RefusedError as error:
        return context | {"refused": str(error)}
    if analysis is not None:
        send_new(request, [analysis], at)
    return context | {"analysis": analysis}


def send_new(request: HttpRequest, pending: Iterable[Analysis], at: datetime | None) -> None:
    """Send the tasks of the analyses that were requested at this time."""
    for analysis in pending:
        if analysis.created_at == at:
            send(request, partial(tasks.compute_analysis.delay, analysis.pk))


def complete_analysis(context: Context) -> Analysis | None:
    """The analysis of an `analysis_context`, if it is complete."""
    analysis: Analysis | None = context["analysis"]
    if analysis is None or analysis.status != Analysis.Status.COMPLETE:
        return None
    return analysis


def change(
    request: HttpRequest, kind: str, judgment_set: JudgmentSet, parameters: Mapping[str, object]
) -> None:
    """Start an analysis, or stop it if the form has the field `stop`, and leave a message."""
    try:
        if "stop" in request.POST:
            analysis = analyses.find_analysis(kind, judgment_set, parameters)
            if analysis is not None and analysis.cancel(at=now()):
                messages.success(request, "Computation stopped.")
            return
        analysis = analyses.request_analysis(kind, judgment_set, parameters)
        if analysis.is_active:
            messages.success(request, "Computation started.")
            send(request, lambda: tasks.compute_analysis.delay(analysis.pk))
    except RefusedError as error:
        messages.error(request, str(error))
