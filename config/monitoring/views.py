"""Answers for probes."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from config.monitoring import readiness


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """200: the process answers. Asks no other server."""
    return JsonResponse({"process": readiness.OK})


@require_safe
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """200 when the database is migrated and the broker answers; else 503, and what is missing."""
    state = readiness.state()
    return JsonResponse(state, status=200 if set(state.values()) == {readiness.OK} else 503)
