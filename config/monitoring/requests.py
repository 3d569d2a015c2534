"""Metrics of requests, counted in each web process.

config.web.server sets PROMETHEUS_MULTIPROC_DIR. prometheus_client then stores the counts in files
in that folder, and each process reports the sum over all processes.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from prometheus_client import Counter, Histogram

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
REQUESTS = Counter(
    "concord_http_requests", "Requests, by the route's name.", ["route", "method", "status"]
)
SECONDS = Histogram(
    "concord_http_request_seconds",
    "Seconds from a request to the beginning of its response.",
    ["route", "method"],
    buckets=(0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0),
)


class RequestMetricsMiddleware:
    """Counts and times requests.

    Labels are names of routes, because paths contain secrets and names.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not settings.METRICS_TOKEN:
            raise MiddlewareNotUsed("METRICS_TOKEN is not set")
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        started = time.perf_counter()
        response = self.get_response(request)
        route = request.resolver_match.view_name if request.resolver_match else "none"
        method = request.method if request.method in METHODS else "other"
        REQUESTS.labels(route, method, response.status_code).inc()
        SECONDS.labels(route, method).observe(time.perf_counter() - started)
        return response
