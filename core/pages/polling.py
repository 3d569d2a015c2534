"""Polling of page fragments while a background job runs.

A template wraps the changing part in the tag `polled`. The page's view answers htmx with this
fragment only, or with 304 and no body if nothing has changed.

The polled element has its own ETag (`hx-headers`), which htmx sends as If-None-Match. The browser's
cache is not used: it would give htmx the cached body with status 200, and htmx would replace the
element by an equal one, which loses the focus.
"""

from __future__ import annotations

import hashlib

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response, patch_vary_headers

CSRF_FIELD = "csrfmiddlewaretoken"


def wants_fragment(request: HttpRequest) -> bool:
    """Whether htmx requests a fragment. To restore its history, htmx requests the whole page."""
    htmx = request.htmx  # type: ignore[attr-defined]
    return bool(htmx) and not htmx.history_restore_request


def render_page(
    request: HttpRequest,
    page: str,
    context: dict[str, object],
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
    """The ETag of a fragment: a hash of its content without the CSRF token, which varies."""
    if csrf_token:
        content = content.replace(csrf_token, "")
    return f'"{hashlib.blake2b(content.encode(), digest_size=16).hexdigest()}"'


def set_etag(request: HttpRequest, etag: str) -> None:
    """Store the ETag of the polled element on the request; a fragment has at most one."""
    request.polled_etag = etag  # type: ignore[attr-defined]
