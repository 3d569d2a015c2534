"""Answer health checks before all other middleware."""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from config.monitoring.urls import urlpatterns

_VIEWS = {f"/{one.pattern}": one.callback for one in urlpatterns}


def monitoring_middleware(
    respond: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answer health checks and /metrics directly.

    They call each process by its own address, which is not in ALLOWED_HOSTS and has no TLS. They
    have no session, and no rate limit applies.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        view = _VIEWS.get(request.path_info)
        return view(request) if view else respond(request)

    return middleware
