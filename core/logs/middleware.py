"""Each request has an id: in its log lines, in the response's header, and on error pages."""

from __future__ import annotations

import re
import secrets
from collections.abc import Callable

from django.conf import settings
from django.core.signals import request_finished
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from core.logs import context

HEADER = "X-Request-ID"
WELL_FORMED = re.compile(r"[A-Za-z0-9_-]{8,64}")


def request_id_middleware(
    respond: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Takes a proxy's id, where there is a proxy and the id is well-formed; else makes one."""

    def responding(request: HttpRequest) -> HttpResponseBase:
        of_proxy = request.headers.get(HEADER, "") if settings.TRUSTED_PROXIES else ""
        own = of_proxy if WELL_FORMED.fullmatch(of_proxy) else secrets.token_hex(8)
        context.request_id.set(own)
        response = respond(request)
        response.headers[HEADER] = own
        return response

    return responding


def _forget(**_: object) -> None:
    context.request_id.set("")


# Not at the end of the middleware: a streamed response is made after it.
request_finished.connect(_forget, dispatch_uid="core.logs.middleware")
