"""Probes are answered before all other middleware."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config.monitoring.urls import urlpatterns

_VIEWS = {f"/{one.pattern}": one.callback for one in urlpatterns}


def monitoring_middleware(
    respond: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Probes ask each process by its own address: that is no host in ALLOWED_HOSTS, and speaks no
    TLS. They have no session, and count under no rate limit."""

    def responding(request: HttpRequest) -> HttpResponseBase:
        view = _VIEWS.get(request.path_info)
        return view(request) if view else respond(request)

    return responding
