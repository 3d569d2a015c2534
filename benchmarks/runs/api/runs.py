"""Metric runs: started, watched, stopped, retried."""

from __future__ import annotations

from django.db import transaction
from django.urls import reverse
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

import scorers
from benchmarks.runs import tasks
from benchmarks.runs.api.documents import MetricDocument, RunDocument, RunsDocument
from benchmarks.runs.finding import find_run
from benchmarks.runs.models import MetricRun, visible_runs
from benchmarks.runs.services import runs
from benchmarks.runs.services.asking import MAX_METRICS, metrics_asked_for
from benchmarks.runs.services.metrics import metric_of
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access
from core.accounts.roles import Role
from core.column_bounds import max_length
from core.rest.operations import operation
from core.rest.serializers import Paged, Strict
from core.rest.views import ApiView
from scorers import Metric


class ListRuns(Paged):
    status = serializers.ChoiceField(MetricRun.Status.choices, required=False)
    metric = serializers.CharField(required=False, max_length=200, help_text="Its exact name.")


class StartRuns(Strict):
    metrics = serializers.ListField(
        child=serializers.CharField(max_length=max_length(MetricRun, "metric")),
        min_length=1,
        max_length=MAX_METRICS,
        help_text="Names, with options in parentheses: `aev(alpha=0.3,n=2)`.",
    )
    multi_ref = serializers.ChoiceField(("max", "joint"), default="max")


class Metrics(ApiView):
    @operation(
        "List metrics",
        scope="sets:read",
        visitors=True,
        query=Paged,
        answer=MetricDocument,
        pages=True,
        tag="metrics",
    )
    def get(self, request: Request) -> Response:
        """The metrics of this installation, which a run may name."""
        found = [scorers.parse_metrics(name)[0] for name in sorted(scorers.names())]
        return self.page_of_rows(found, lambda metric: metric.name)


class Runs(ApiView):
    @operation(
        "List a set's metric runs",
        scope="sets:read",
        visitors=True,
        query=ListRuns,
        answer=RunDocument,
        pages=True,
        tag="runs",
    )
    def get(self, request: Request, ref: str) -> Response:
        """Those you may see, with their progress, in the order they were asked for."""
        asked = self.query()
        judgment_set = access.set_for(request.user, ref)
        found = visible_runs(judgment_set).with_progress()
        wanted = {name: asked[name] for name in ("status", "metric") if name in asked}
        return self.page_of_query(found.filter(**wanted), "created_at", "pk")

    @operation(
        "Start metric runs",
        scope="runs:write",
        body=StartRuns,
        answer=RunsDocument,
        status=201,
        creates=True,
        tag="runs",
        example={"metrics": ["bleu-1", "rouge-l"], "multi_ref": "max"},
    )
    def post(self, request: Request, ref: str) -> Response:
        """A run for each metric: the one there is under its signature, or a new one. What earlier
        runs know is not computed again; failed and stopped ones are queued again."""
        judgment_set = access.set_for(request.user, ref, Role.EDITOR)
        given = self.body()
        metrics = metrics_asked_for(",".join(given["metrics"]), given["multi_ref"])
        asked = request_runs(judgment_set, metrics)
        location = reverse("api-runs", args=[str(judgment_set)])
        return self.answer({"runs": _with_progress(judgment_set, asked)}, location=location)


class Run(ApiView):
    @operation(
        "Read a metric run",
        scope="sets:read",
        visitors=True,
        answer=RunDocument,
        tag="runs",
    )
    def get(self, request: Request, ref: str, run: int) -> Response:
        """Ask again until `status` is complete, failed or cancelled; with If-None-Match, what has
        not advanced is not sent again."""
        return self.answer(find_run(access.set_for(request.user, ref), run))


class StopRun(ApiView):
    @operation(
        "Stop a metric run",
        scope="runs:write",
        answer=RunDocument,
        changes=lambda: Run,
        tag="runs",
    )
    def post(self, request: Request, ref: str, run: int) -> Response:
        """What is scored is kept for a retry. One that has ended stays as it is."""
        judgment_set = access.set_for(request.user, ref, Role.EDITOR)
        runs.cancel_run(find_run(judgment_set, run).pk, at=now())
        return self.answer(find_run(judgment_set, run))


class RetryRun(ApiView):
    @operation(
        "Retry a metric run",
        scope="runs:write",
        answer=RunDocument,
        changes=lambda: Run,
        tag="runs",
        also={422: "The metric, or a model it needs, is not there any more."},
    )
    def post(self, request: Request, ref: str, run: int) -> Response:
        """Queues one that failed or was stopped; its finished parts keep their scores."""
        judgment_set = access.set_for(request.user, ref, Role.EDITOR)
        request_runs(judgment_set, [metric_of(find_run(judgment_set, run))])
        return self.answer(find_run(judgment_set, run))


def request_runs(judgment_set: JudgmentSet, metrics: list[Metric]) -> list[MetricRun]:
    """Ask for runs and, once they are committed, send their work to the workers."""
    with transaction.atomic():
        asked = runs.request_runs(judgment_set, metrics, at=now())
        transaction.on_commit(lambda: tasks.enqueue(asked))
    return asked


def _with_progress(judgment_set: JudgmentSet, asked: list[MetricRun]) -> list[MetricRun]:
    wanted = [run.pk for run in asked]
    found = {run.pk: run for run in judgment_set.runs.with_progress().filter(pk__in=wanted)}
    return [found[pk] for pk in dict.fromkeys(wanted)]
