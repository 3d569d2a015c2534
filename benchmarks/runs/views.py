"""The page of a set's metric runs: progress, start, stop, retry."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Unpack

from django import forms
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect
from django.utils.timezone import now
from django.views.decorators.http import require_POST, require_safe

import scorers
from benchmarks.runs import tasks
from benchmarks.runs.finding import find_run
from benchmarks.runs.inputs import NewRuns
from benchmarks.runs.models import MetricRun, visible_runs
from benchmarks.runs.services import listing, runs
from benchmarks.runs.services.metrics import metric_of
from benchmarks.runs.services.requested_metrics import parse_requested_metrics
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.views.access import find_set, set_page, set_view
from concord.sentences import counted, to_sentence
from core.accounts.roles import Role
from core.pages.derived import DataclassForm
from core.pages.options import FormOptions
from core.pages.sending import send
from core.workers.starting import has_worker_answered
from scorers import Metric, MetricError


class StartRunsForm(DataclassForm[NewRuns]):
    """Metrics to run: selected in a list, and typed in with options."""

    chosen = ("metrics",)
    optional = ("metrics",)
    help_texts = {"metrics": ""}

    more = forms.CharField(required=False)

    def __init__(self, data: QueryDict | None = None, **options: Unpack[FormOptions]) -> None:
        super().__init__(data, **options)
        self.set_choices("metrics", [(name, name) for name in scorers.names()])

    def families(self) -> Iterator[tuple[str, list[tuple[Metric, bool]]]]:
        """The registered metrics by family, each with whether it is selected."""
        selected = set(self.data.getlist("metrics")) if isinstance(self.data, QueryDict) else set()
        families: dict[str, list[tuple[Metric, bool]]] = {}
        for name in scorers.names():
            metric = scorers.parse_metrics(name)[0]
            families.setdefault(metric.family, []).append((metric, name in selected))
        yield from families.items()

    def clean(self) -> dict[str, object]:
        values = super().clean() or {}
        if self.errors:
            return values
        names = [*values["metrics"], *([values["more"]] if values["more"].strip() else [])]
        if not names:
            raise forms.ValidationError("Choose at least one metric.")
        try:
            values["parsed"] = parse_requested_metrics(",".join(names), values["multi_ref"])
        except (scorers.MetricError, scorers.ModelError) as error:
            self.add_error("more", to_sentence(error))
        return values


WORKER_CHECK_SECONDS = 10.0  # a run queued for longer makes the page look for a live worker


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
    try:
        requested = _request(request, judgment_set, form.cleaned_data["parsed"])
    except MetricError as error:
        form.add_error("metrics", str(error))
        return _page(request, judgment_set, form, status=422)
    n_active = sum(run.is_active for run in requested)
    if n_active:
        messages.success(request, f"{n_active} of {counted(len(requested), 'metric')} queued.")
    else:
        messages.info(request, "These metrics are scored already, with the same signature.")
    return redirect("metric-runs", ref=str(judgment_set))


@require_POST
@set_view(Role.EDITOR)
def stop_run(request: HttpRequest, judgment_set: JudgmentSet, pk: int) -> HttpResponse:
    run = find_run(judgment_set, pk)
    if run.cancel(at=now()):
        messages.success(
            request, f"{run.metric} is stopped. A retry reuses the scores computed so far."
        )
    else:
        messages.info(request, f"{run.metric} has ended already.")
    return redirect("metric-runs", ref=str(judgment_set))


@require_POST
@set_view(Role.EDITOR)
def retry_run(request: HttpRequest, judgment_set: JudgmentSet, pk: int) -> HttpResponse:
    run = find_run(judgment_set, pk)
    _request(request, judgment_set, [metric_of(run)])
    messages.success(request, f"{run.metric} is queued again.")
    return redirect("metric-runs", ref=str(judgment_set))


def _request(
    request: HttpRequest, judgment_set: JudgmentSet, metrics: list[Metric]
) -> list[MetricRun]:
    """Request runs, and send their tasks after the commit."""
    with transaction.atomic():
        requested = runs.request_runs(judgment_set, metrics, at=now())
        send(request, lambda: tasks.enqueue(requested))
    return requested


def _page(
    request: HttpRequest, judgment_set: JudgmentSet, form: StartRunsForm, status: int = 200
) -> HttpResponse:
    every_run = listing.with_names(
        list(visible_runs(judgment_set).with_progress().order_by("created_at", "pk"))
    )
    active = [run for run in every_run if run.is_active]
    waited = listing.oldest_wait(judgment_set, at=now()) or 0.0
    context: dict[str, object] = {
        "tab": "runs",
        "runs": every_run,
        "active": active,
        "ahead": listing.active_runs_before(active[0]) if active else 0,
        "no_worker": waited > WORKER_CHECK_SECONDS and not has_worker_answered(),
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
