"""The door of every rating page: who may come in, what may come in, and what goes out.

These pages live in other sites' frames, where cookies of ours do not arrive. The signed token in
the address is the credential. They are exempt from the CSRF check for that reason: a forged
request rides on a credential that the browser adds by itself, and here there is none to ride on;
whoever can write the token into a request has the worker's address already. They are exempt from
X-Frame-Options, which cannot name sites; the policy's `frame-ancestors` can, and does.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from csp.decorators import csp_replace
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt

from annotation.rating.services.handing_out import RatingRefusedError
from annotation.rating.services.tokens import TokenError, participation_of

LARGEST_BODY = 64 * 1024
View = Callable[..., HttpResponseBase]
# What a page's content security policy says otherwise than the site's, by the page's address.
Policy = Callable[..., dict[str, list[str]]]


class PageError(Exception):
    """What a page cannot do: `status`, what happened, and in the message what to do next."""

    def __init__(self, status: int, heading: str, message: str) -> None:
        self.status, self.heading = status, heading
        super().__init__(message)


def open_page(
    *methods: str, as_json: bool = False, policy: Policy | None = None
) -> Callable[[View], View]:
    """A page that anyone may ask for, by these methods; GET brings HEAD with it.

    `policy` takes what the view takes besides the request.
    """
    told = _error_json if as_json else _error_page
    return lambda view: _guarded(view, methods, told, policy)


def worker_page(*methods: str, as_json: bool = False) -> Callable[[View], View]:
    """A page of one worker: the address's token becomes the view's `participation`."""

    def decorate(view: View) -> View:
        @wraps(view)
        def of_worker(request: HttpRequest, token: str, **rest: Any) -> HttpResponseBase:
            return view(request, participation_of(token), token, **rest)

        return _guarded(of_worker, methods, _error_json if as_json else _error_page)

    return decorate


def readable(text: str) -> str:
    """Text without what no database or page takes: NUL and halves of surrogate pairs."""
    kept = text.replace("\0", "").encode("utf-8", "ignore").decode()
    return kept.replace("\r\n", "\n")


def _guarded(
    view: View,
    methods: tuple[str, ...],
    told: Callable[[HttpRequest, PageError], HttpResponseBase],
    policy: Policy | None = None,
) -> View:
    allowed = [*methods, "HEAD"] if "GET" in methods else list(methods)

    @csrf_exempt
    @xframe_options_exempt
    @wraps(view)
    def guarded(request: HttpRequest, **rest: Any) -> HttpResponseBase:
        def answered(request: HttpRequest) -> HttpResponseBase:
            try:
                _check_request(request, allowed)
                return view(request, **rest)
            except PageError as error:
                return told(request, error)
            except TokenError as error:
                return told(request, PageError(403, "This link does not open", str(error)))
            except RatingRefusedError as error:
                return told(request, PageError(409, "This cannot be done any more", str(error)))

        replaced = {"frame-ancestors": settings.RATING_FRAME_ANCESTORS}
        if policy is not None:
            replaced |= policy(**rest)
        response = csp_replace(replaced)(answered)(request)
        response["Cache-Control"] = "private, no-store"
        if response.status_code == 405:
            response["Allow"] = ", ".join(allowed)
        return response

    return guarded


def _check_request(request: HttpRequest, allowed: list[str]) -> None:
    if request.method not in allowed:
        raise PageError(405, "That is not how this page works", "Go back and use its buttons.")
    if int(request.META.get("CONTENT_LENGTH") or 0) > LARGEST_BODY:
        raise PageError(
            413,
            "That is too long",
            "Go back, shorten your comments or your message, and try again.",
        )


def _error_page(request: HttpRequest, error: PageError) -> HttpResponse:
    shown = {"heading": error.heading, "message": str(error)}
    return render(request, "annotation/rating/error.html", shown, status=error.status)


def _error_json(request: HttpRequest, error: PageError) -> JsonResponse:
    return JsonResponse({"error": str(error)}, status=error.status)
