"""Streams that tell open pages of runs, analyses, trainings and imports that something changed."""

from __future__ import annotations

from django.db.models import Model
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_GET

from benchmarks.analyses.models import Analysis
from benchmarks.imports.models import SetImport
from benchmarks.imports.views import find_import
from benchmarks.runs.models import visible_runs
from benchmarks.sets.views.access import find_set, signed_in
from benchmarks.trainings.models import Training
from benchmarks.trainings.views import find_training, researchers_only
from core.live.streams import stream
from core.pages.errors import MissingError


@require_GET
def run_events(request: HttpRequest, ref: str) -> HttpResponseBase:
    """The metric runs that the page of runs shows to this person."""
    judgment_set = find_set(ref, request.user)

    def state() -> object:
        rows = visible_runs(judgment_set).with_progress().order_by("pk")
        return [(run.pk, run.status, run.percent, run.reason) for run in rows]

    return stream(request, f"runs of {judgment_set.pk} for {judgment_set.viewer}", state)


@require_GET
def analysis_events(request: HttpRequest, ref: str, pk: int) -> HttpResponseBase:
    """One analysis of a set: how far it is, and how it ended."""
    judgment_set = find_set(ref, request.user)
    if not Analysis.objects.filter(judgment_set=judgment_set, pk=pk).exists():
        raise MissingError(f"{judgment_set} has no analysis {pk}.")
    return _of_one(request, Analysis, pk, "done", "total")


@require_GET
@researchers_only
def training_events(request: HttpRequest, pk: int) -> HttpResponseBase:
    """One training: how far it is, and how it ended."""
    return _of_one(request, Training, find_training(request, pk).pk, "step", "steps")


@require_GET
@signed_in
def import_events(request: HttpRequest, pk: int) -> HttpResponseBase:
    """One import: how far it is, and how it ended."""
    return _of_one(request, SetImport, find_import(request, pk).pk, "rows", "bytes_read")


def _of_one(request: HttpRequest, model: type[Model], pk: int, *progress: str) -> HttpResponseBase:
    """The status of one row, and its columns that tell how far it is."""
    found = model._default_manager.filter(pk=pk)
    name = f"{model._meta.verbose_name} {pk}"
    return stream(request, name, lambda: list(found.values_list("status", *progress)))
