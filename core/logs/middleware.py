"""Request ids: in log lines, in a response header and on error pages."""

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
VALID_ID = re.compile(r"[A-Za-z0-9_-]{8,64}")


def request_id_middleware(
    respond: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Use the id of a trusted proxy if it is valid; otherwise create one."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        proxy_id = request.headers.get(HEADER, "") if settings.TRUSTED_PROXIES else ""
        request_id = proxy_id if VALID_ID.fullmatch(proxy_id) else secrets.token_hex(8)
        context.request_id.set(request_id)
        response = respond(request)
        response.headers[HEADER] = request_id
        return response

    return middleware


def _reset(**_: object) -> None:
    context.request_id.set("")


# Not in the middleware: a streaming response is generated after it.
request_finished.connect(_reset, dispatch_uid="core.logs.middleware")
