"""Streams that tell open pages of runs, analyses, trainings and imports that something changed."""

from __future__ import annotations

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.views.decorators.http import require_GET

from benchmarks.models import Analysis, SetImport, Training
from benchmarks.views.access import MissingError, find_set, signed_in
from benchmarks.views.imports import find_import
from benchmarks.views.trainings import find_training, researchers_only
from live.streams import stream


@require_GET
def run_events(request: HttpRequest, ref: str) -> HttpResponseBase:
    """The metric runs that the page of runs shows to this person."""
    judgment_set = find_set(ref, request.user)

    def state() -> object:
        rows = judgment_set.visible_runs.with_progress().order_by("pk")
        return [(run.pk, run.status, run.percent, run.reason) for run in rows]

    return stream(request, f"runs of {judgment_set.pk} for {judgment_set.viewer}", state)


@require_GET
def analysis_events(request: HttpRequest, ref: str, pk: int) -> HttpResponseBase:
    """One analysis of a set: how far it is, and how it ended."""
    judgment_set = find_set(ref, request.user)
    found = Analysis.objects.filter(judgment_set=judgment_set, pk=pk)
    if not found.exists():
        raise MissingError(f"{judgment_set} has no analysis {pk}.")

    def state() -> object:
        return list(found.values_list("status", "done", "total"))

    return stream(request, f"analysis {pk}", state)


@require_GET
@researchers_only
def training_events(request: HttpRequest, pk: int) -> HttpResponseBase:
    """One training: how far it is, and how it ended."""
    found = Training.objects.filter(pk=find_training(request, pk).pk)

    def state() -> object:
        return list(found.values_list("status", "step", "steps"))

    return stream(request, f"training {pk}", state)


@require_GET
@signed_in
def import_events(request: HttpRequest, pk: int) -> HttpResponseBase:
    """One import: how far it is, and how it ended."""
    found = SetImport.objects.filter(pk=find_import(request, pk).pk)

    def state() -> object:
        return list(found.values_list("status", "rows", "bytes_read"))

    return stream(request, f"import {pk}", state)
