"""Metric runs: list, start, read, stop and retry."""

from __future__ import annotations

from django.db import transaction
from django.urls import reverse
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

import scorers
from benchmarks.runs import tasks
from benchmarks.runs.api.documents import run_document
from benchmarks.runs.finding import find_run
from benchmarks.runs.inputs import NewRuns
from benchmarks.runs.models import MetricRun, visible_runs
from benchmarks.runs.services import runs
from benchmarks.runs.services.requested_metrics import parse_requested_metrics
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access
from concord.documents.runs import MetricDocument, RunsDocument
from core.accounts.roles import Role
from core.jobs import send_after_commit
from core.rest.derived import serializer_of
from core.rest.operations import operation
from core.rest.serializers import Paged
from core.rest.views import ApiView
from scorers import Metric


class ListRuns(Paged):
    status = serializers.ChoiceField(MetricRun.Status.choices, required=False)
    metric = serializers.CharField(required=False, max_length=200, help_text="The exact name.")


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
        """The metrics of this installation."""
        metrics = [scorers.parse_metrics(name)[0] for name in sorted(scorers.names())]
        return self.page_of_rows(metrics, lambda metric: metric.name)


class Runs(ApiView):
    @operation(
        "List a set's metric runs",
        scope="sets:read",
        visitors=True,
        query=ListRuns,
        answer=run_document,
        pages=True,
        tag="runs",
    )
    def get(self, request: Request, ref: str) -> Response:
        """The runs that you may see, with their progress, in the order of their requests."""
        query = self.query()
        judgment_set = access.set_for(request.user, ref)
        filters = {name: query[name] for name in ("status", "metric") if name in query}
        rows = visible_runs(judgment_set).with_progress().filter(**filters)
        return self.page_of_query(rows, "created_at", "pk")

    @operation(
        "Start metric runs",
        scope="runs:write",
        body=serializer_of(NewRuns, name="StartRuns"),
        answer=RunsDocument,
        status=202,
        creates=True,
        tag="runs",
        example={"metrics": ["bleu-1", "rouge-l"], "multi_ref": "max"},
    )
    def post(self, request: Request, ref: str) -> Response:
        """One run for each metric: the existing run with its signature, or a new one. Scores of
        earlier runs are reused. Failed and stopped runs are queued again."""
        judgment_set = access.set_for(request.user, ref, Role.EDITOR)
        body = self.input(NewRuns)
        metrics = parse_requested_metrics(",".join(body.metrics), body.multi_ref)
        requested = request_runs(judgment_set, metrics)
        location = reverse("api-runs", args=[str(judgment_set)])
        return self.answer(
            {"runs": [run_document(run) for run in _with_progress(judgment_set, requested)]},
            location=location,
        )


class Run(ApiView):
    @operation(
        "Read a metric run",
        scope="sets:read",
        visitors=True,
        answer=run_document,
        tag="runs",
    )
    def get(self, request: Request, ref: str, run: int) -> Response:
        """Poll it until `status` is complete, failed or cancelled. With If-None-Match, an unchanged
        run is not sent again."""
        return self.answer(find_run(access.set_for(request.user, ref), run))


class StopRun(ApiView):
    @operation(
        "Stop a metric run",
        scope="runs:write",
        answer=run_document,
        changes=lambda: Run,
        tag="runs",
    )
    def post(self, request: Request, ref: str, run: int) -> Response:
        """A retry reuses the scores computed so far. A run that has ended does not change."""
        judgment_set = access.set_for(request.user, ref, Role.EDITOR)
        find_run(judgment_set, run).cancel(at=now())
        return self.answer(find_run(judgment_set, run))


def request_runs(judgment_set: JudgmentSet, metrics: list[Metric]) -> list[MetricRun]:
    """Request runs, and send their tasks after the commit."""
    with transaction.atomic():
        requested = runs.request_runs(judgment_set, metrics, at=now())
        send_after_commit(lambda: tasks.enqueue(requested))
    return requested


def _with_progress(judgment_set: JudgmentSet, requested: list[MetricRun]) -> list[MetricRun]:
    keys = [run.pk for run in requested]
    by_key = judgment_set.runs.with_progress().in_bulk(keys)
    return [by_key[pk] for pk in dict.fromkeys(keys)]
