"""The metric runs of a set: their progress, and starting, stopping and retrying them."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.timezone import now
from django.views.decorators.http import require_POST, require_safe

from benchmarks.runs import tasks
from benchmarks.runs.finding import find_run
from benchmarks.runs.forms import StartRunsForm
from benchmarks.runs.models import MetricRun, visible_runs
from benchmarks.runs.services import listing, runs
from benchmarks.runs.services.metrics import metric_of
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.views.access import find_set, set_page, set_view
from core.accounts.roles import Role
from core.pages.sending import send
from core.workers.starting import is_worker_alive
from scorers import Metric

PATIENCE = 10.0  # seconds a run may be queued before we ask whether any worker lives


@require_safe
def metric_runs(request: HttpRequest, ref: str) -> HttpResponse:
    judgment_set = find_set(ref, request.user)
    return _page(request, judgment_set, StartRunsForm())


@require_POST
@set_view(Role.EDITOR)
def start_runs(request: HttpRequest, judgment_set: JudgmentSet) -> HttpResponse:
    form = StartRunsForm(request.POST)
    if not form.is_valid():
        return _page(request, judgment_set, form, status=422)
    asked = _request(request, judgment_set, form.cleaned_data["parsed"])
    waiting = sum(run.is_active for run in asked)
    if waiting:
        messages.success(request, f"{waiting} of {len(asked)} metrics are on their way.")
    else:
        messages.info(request, "These metrics have been scored already, under the same signature.")
    return redirect("metric-runs", ref=str(judgment_set))


@require_POST
@set_view(Role.EDITOR)
def stop_run(request: HttpRequest, judgment_set: JudgmentSet, pk: int) -> HttpResponse:
    run = find_run(judgment_set, pk)
    if runs.cancel_run(run.pk, at=now()):
        messages.success(request, f"{run.metric} is stopped. What is scored is kept for a retry.")
    else:
        messages.info(request, f"{run.metric} had ended already.")
    return redirect("metric-runs", ref=str(judgment_set))


@require_POST
@set_view(Role.EDITOR)
def retry_run(request: HttpRequest, judgment_set: JudgmentSet, pk: int) -> HttpResponse:
    run = find_run(judgment_set, pk)
    _request(request, judgment_set, [metric_of(run)])
    messages.success(request, f"{run.metric} is on its way again.")
    return redirect("metric-runs", ref=str(judgment_set))


def _request(
    request: HttpRequest, judgment_set: JudgmentSet, metrics: list[Metric]
) -> list[MetricRun]:
    """Ask for runs and, once they are committed, send their work to the workers."""
    with transaction.atomic():
        asked = runs.request_runs(judgment_set, metrics, at=now())
        send(request, lambda: tasks.enqueue(asked))
    return asked


def _page(
    request: HttpRequest, judgment_set: JudgmentSet, form: StartRunsForm, status: int = 200
) -> HttpResponse:
    found = listing.with_names(
        list(visible_runs(judgment_set).with_progress().order_by("created_at", "pk"))
    )
    active = [run for run in found if run.is_active]
    waited = listing.oldest_wait(judgment_set, at=now()) or 0.0
    context: dict[str, Any] = {
        "tab": "runs",
        "runs": found,
        "active": active,
        "ahead": listing.active_runs_before(active[0]) if active else 0,
        "no_worker": waited > PATIENCE and not is_worker_alive(timeout=0.5),
        "form": form,
    }
    return set_page(
        request,
        "benchmarks/runs/metric_runs.html",
        judgment_set,
        context,
        fragment="benchmarks/runs/_runs.html" if status == 200 else None,
        status=status,
    )
