"""The live monitor of a stage, and pausing and resuming it."""

from __future__ import annotations

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.timezone import now
from django.views.decorators.http import require_POST, require_safe

from annotation.stages.forms import PauseForm
from annotation.stages.services import monitoring, pausing
from annotation.stages.services.monitoring import Monitor
from annotation.stages.views.stages import find_stage
from annotation.studies.models import Stage, Study
from annotation.studies.views.access import person, study_page, study_view
from concord.plots.throughput import ThroughputPlot, throughput_plot
from core.accounts.roles import Role
from core.pages.queries import QueryForm, choice
from core.pages.views import refusals_to


class MonitorQuery(QueryForm):
    stage = choice(*Stage.Kind.values, default="")
    by = choice(*monitoring.PLOTTED, default="hour")


@require_safe
@study_view(Role.VIEWER)
def monitor(request: HttpRequest, study: Study) -> HttpResponse:
    query = MonitorQuery.read(request.GET)
    stages = list(study.stages.select_related("study").exclude(status=Stage.Status.PLANNED))
    wanted = query["stage"]
    stage = find_stage(study, wanted) if wanted else _default(stages)
    return _page(request, study, stages, stage, by=query["by"])


@require_POST
@refusals_to("study-monitor", "slug", stage="kind")
@study_view(Role.EDITOR)
def pause_stage(request: HttpRequest, study: Study, kind: str) -> HttpResponse:
    stage = find_stage(study, kind)
    form = PauseForm(request.POST)
    if form.is_valid():
        pausing.pause_stage(stage, form.cleaned_data["reason"], by=person(request), at=now())
        messages.success(request, f"The {kind} stage is paused. Raters get no new tasks.")
        return redirect(_url(study, kind))
    stages = list(study.stages.select_related("study").exclude(status=Stage.Status.PLANNED))
    return _page(request, study, stages, stage, form=form, status=422)


@require_POST
@refusals_to("study-monitor", "slug", stage="kind")
@study_view(Role.EDITOR)
def resume_stage(request: HttpRequest, study: Study, kind: str) -> HttpResponse:
    stage = find_stage(study, kind)
    pausing.resume_stage(stage, by=person(request))
    messages.success(request, f"The {kind} stage hands out tasks again.")
    return redirect(_url(study, kind))


def _page(
    request: HttpRequest,
    study: Study,
    stages: list[Stage],
    stage: Stage | None,
    *,
    by: monitoring.By = "hour",
    form: forms.Form | None = None,
    status: int = 200,
) -> HttpResponse:
    context: dict[str, object] = {"tab": "stages", "stages": stages, "form": form or PauseForm()}
    if stage is not None and stage.status != Stage.Status.PLANNED:
        figures = Monitor(stage, by, now())
        context |= {
            "monitor": figures,
            "stage": stage,
            "by": by,
            "plot": _plot(figures, by),
            "poll_url": _url(study, stage.kind, by),
            "is_open": stage.status == Stage.Status.OPEN,
        }
    return study_page(
        request,
        "annotation/stages/monitor.html",
        study,
        context,
        fragment="annotation/stages/_monitor.html" if "monitor" in context else None,
        status=status,
    )


def _default(stages: list[Stage]) -> Stage | None:
    """The last open stage, a test only if there is no other; else the last that was opened."""
    is_test = Stage.Kind.QUALIFICATION
    ranked = sorted(
        stages, key=lambda s: (s.status == Stage.Status.OPEN, s.kind != is_test, s.number)
    )
    return ranked[-1] if ranked else None


def _url(study: Study, kind: str, by: str = "hour") -> str:
    query = urlencode({"stage": kind} | ({} if by == "hour" else {"by": by}))
    return f"{reverse('study-monitor', args=[study.slug])}?{query}"


def _plot(figures: Monitor, by: monitoring.By) -> ThroughputPlot:
    titles = [
        f"{start:%-d %b %H:%M}" if by == "hour" else f"{start:%-d %b}" for start in figures.starts
    ]
    if by == "hour":
        ticks = {
            index: f"{start:%-d %b}" if start.hour == 0 else f"{start:%H:%M}"
            for index, start in enumerate(figures.starts)
            if start.hour % 6 == 0
        }
    else:
        ticks = {index: titles[index] for index in range(0, len(titles), 5)}
    return throughput_plot(
        titles, figures.counts, ticks, x_name="time (UTC)", y_name=f"ratings a {by}"
    )
