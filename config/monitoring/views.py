"""Views of the health checks and of Prometheus metrics."""

from __future__ import annotations

import secrets

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from config.monitoring import metrics as all_metrics
from config.monitoring import readiness
from config.monitoring.readiness import READINESS


@require_safe
@never_cache
def healthz(request: HttpRequest) -> HttpResponse:
    """200 if the process answers. No other server is checked."""
    return JsonResponse({"process": readiness.OK})


@require_safe
@never_cache
def readyz(request: HttpRequest) -> HttpResponse:
    """200 if the database is migrated and the broker answers; else 503 with the reason."""
    state = READINESS.state()
    return JsonResponse(state, status=200 if set(state.values()) == {readiness.OK} else 503)


@require_safe
@never_cache
def metrics(request: HttpRequest) -> HttpResponse:
    """Metrics for clients with METRICS_TOKEN; 404 if it is not set."""
    if not settings.METRICS_TOKEN:
        return HttpResponse(status=404)
    expected = f"Bearer {settings.METRICS_TOKEN}".encode()
    sent = request.headers.get("Authorization", "").encode()
    if not secrets.compare_digest(sent, expected):
        return HttpResponse(status=401, headers={"WWW-Authenticate": "Bearer"})
    return HttpResponse(all_metrics.report(), content_type=all_metrics.CONTENT_TYPE)
