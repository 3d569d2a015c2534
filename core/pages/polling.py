"""Fragments of a page that are polled while long work goes on.

A template wraps what changes in the tag `polled`, and the page's view answers htmx with that
fragment alone. While nothing has changed, the answer is 304 without a body.

The polled element carries its own ETag (`hx-headers`), and htmx sends it as If-None-Match. If that
were left to the browser's cache, the browser would give htmx the cached body with status 200, and
htmx would replace the element by an equal one, which loses the focus.
"""

from __future__ import annotations

import hashlib
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response, patch_vary_headers

CSRF_FIELD = "csrfmiddlewaretoken"


def wants_fragment(request: HttpRequest) -> bool:
    """Whether htmx asks for a part of the page; to restore its history, it needs the whole page."""
    htmx = request.htmx  # type: ignore[attr-defined]
    return bool(htmx) and not htmx.history_restore_request


def render_page(
    request: HttpRequest,
    page: str,
    context: dict[str, Any],
    *,
    fragment: str | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render the template `page`; for htmx, the template `fragment` where there is one.

    A fragment whose `polled` element is active has an ETag, and the answer is 304 if the request's
    If-None-Match names it.
    """
    template = fragment if fragment and wants_fragment(request) else page
    response = render(request, template, context, status=status)
    patch_vary_headers(response, ("HX-Request", "HX-History-Restore-Request"))
    etag = getattr(request, "polled_etag", None)
    if template == page or etag is None:
        return response
    response["ETag"] = etag
    response["Cache-Control"] = "private, no-cache"
    return get_conditional_response(request, etag=etag, response=response) or response


def etag_of(content: str, csrf_token: str) -> str:
    """The ETag of a fragment: a hash of its content without the token, which always differs."""
    if csrf_token:
        content = content.replace(csrf_token, "")
    return f'"{hashlib.blake2b(content.encode(), digest_size=16).hexdigest()}"'


def set_etag(request: HttpRequest, etag: str) -> None:
    """Note the ETag of the request's polled element; a fragment has at most one."""
    request.polled_etag = etag  # type: ignore[attr-defined]
