"""The site's URLs, and some views that fail or log."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.urls import path

from config import urls
from core.refusals import RefusedError

handler400, handler403 = urls.handler400, urls.handler403
handler404, handler500 = urls.handler404, urls.handler500
logger = logging.getLogger(__name__)


def fault(request: HttpRequest) -> HttpResponse:
    raise RuntimeError("a fault of the server")


def forbidden(request: HttpRequest) -> HttpResponse:
    raise PermissionDenied


def unknown_choice(request: HttpRequest) -> HttpResponse:
    raise RefusedError("The licence must be one of two.", "query-invalid")


def stream(request: HttpRequest) -> StreamingHttpResponse:
    def parts() -> Iterator[bytes]:
        logger.warning("a part is made")
        yield b"part"

    return StreamingHttpResponse(parts())


urlpatterns = [
    *urls.urlpatterns,
    path("fault", fault),
    path("forbidden", forbidden),
    path("api/fault", fault),
    path("unknown-choice", unknown_choice),
    path("stream", stream),
]
