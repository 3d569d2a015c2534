"""Decorators of the rating pages: access, request limits, frame policy, errors.

These pages are shown in other sites' frames, where our cookies are not sent. The signed token in
the URL is the credential. A forged request needs a credential that the browser adds by itself; as
there is none, the pages are exempt from the CSRF check. They are exempt from X-Frame-Options, which
cannot name sites; `frame-ancestors` of the content security policy names them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from http import HTTPStatus

from csp.decorators import csp_replace
from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.clickjacking import xframe_options_exempt
from django.views.decorators.csrf import csrf_exempt

from annotation.rating.services.tokens import participation_of
from annotation.rating.views.language import PARAMETER, mark_answered, speak_to_rater
from core.refusals import RefusedError
from core.security.declarations import costs
from core.security.uploads import content_length

MAX_BODY_BYTES = 64 * 1024
LANGUAGE_ACTION = "language"
# The rate limit of the requests of one rater.
RATING = "rating"
# Of the pages of what services refuse, by code.
HEADINGS = {
    "link-refused": gettext_lazy("This link is not valid"),
    "rating-refused": gettext_lazy("This is no longer possible"),
    "entry-refused": gettext_lazy("This study cannot be opened"),
    "arrival-refused": gettext_lazy("This task cannot be opened"),
}
View = Callable[..., HttpResponseBase]
# Computes a page's changes to the site's content security policy from the URL's parameters.
Policy = Callable[..., dict[str, list[str]]]


class PageError(Exception):
    """A page that cannot be shown: the status, a heading, and a message with what to do next."""

    def __init__(self, status: int, heading: str, message: str) -> None:
        self.status, self.heading = status, heading
        super().__init__(message)


def open_page(
    *methods: str, rate: str = "", as_json: bool = False, policy: Policy | None = None
) -> Callable[[View], View]:
    """A page without a worker's token, with these methods; GET includes HEAD.

    rate: the rate limit that counts its requests. `policy` takes the view's arguments without the
    request.
    """
    answer_error = _error_json if as_json else _error_page
    return lambda view: costs(rate)(_guard(view, methods, answer_error, policy))


def worker_page(*methods: str, as_json: bool = False) -> Callable[[View], View]:
    """A page of one worker: the URL's token becomes the view's `participation`."""

    def decorate(view: View) -> View:
        @wraps(view)
        def of_worker(request: HttpRequest, token: str, **rest: object) -> HttpResponseBase:
            participation = participation_of(token)
            # The body of a JSON request is its view's to read.
            form = {} if as_json else request.POST
            speak_to_rater(participation, form.get(PARAMETER, ""))
            if form.get("action") == LANGUAGE_ACTION:
                return same_page(request)
            if request.method == "HEAD":  # a program follows a link: it gets no task
                return HttpResponse()
            return view(request, participation, token, **rest)

        guarded = _guard(of_worker, methods, _error_json if as_json else _error_page)
        return costs(RATING)(guarded)

    return decorate


def same_page(request: HttpRequest) -> HttpResponse:
    """Redirect to this page by GET, after the form with which a rater changes the language."""
    return HttpResponse(status=HTTPStatus.SEE_OTHER, headers={"Location": request.get_full_path()})


def readable(text: str) -> str:
    """Text without characters that the database or a page cannot store: NUL and lone surrogates."""
    cleaned = text.replace("\0", "").encode("utf-8", "ignore").decode()
    return cleaned.replace("\r\n", "\n")


def _guard(
    view: View,
    methods: tuple[str, ...],
    answer_error: Callable[[HttpRequest, PageError], HttpResponseBase],
    policy: Policy | None = None,
) -> View:
    allowed = [*methods, "HEAD"] if "GET" in methods else list(methods)

    @csrf_exempt
    @xframe_options_exempt
    @wraps(view)
    def guarded(request: HttpRequest, **rest: object) -> HttpResponseBase:
        def answer(request: HttpRequest) -> HttpResponseBase:
            try:
                _check_request(request, allowed)
                response = view(request, **rest)
            except PageError as error:
                response = answer_error(request, error)
            except RefusedError as error:
                if error.code not in HEADINGS:
                    raise
                heading = str(HEADINGS[error.code])
                response = answer_error(request, PageError(error.status, heading, str(error)))
            mark_answered(request)
            return response

        directives = {"frame-ancestors": settings.RATING_FRAME_ANCESTORS}
        if policy is not None:
            directives |= policy(**rest)
        response = csp_replace(directives)(answer)(request)
        response["Cache-Control"] = "private, no-store"
        if response.status_code == 405:
            response["Allow"] = ", ".join(allowed)
        return response

    return guarded


def _check_request(request: HttpRequest, allowed: list[str]) -> None:
    if request.method not in allowed:
        raise PageError(
            405, gettext("Invalid request"), gettext("Go back and use the buttons of the page.")
        )
    if content_length(request) > MAX_BODY_BYTES:
        raise PageError(
            413,
            gettext("Text too long"),
            gettext("Go back, shorten your comments or your message, and try again."),
        )


def _error_page(request: HttpRequest, error: PageError) -> HttpResponse:
    context = {"heading": error.heading, "message": str(error)}
    return render(request, "annotation/rating/error.html", context, status=error.status)


def _error_json(request: HttpRequest, error: PageError) -> JsonResponse:
    return JsonResponse({"error": str(error)}, status=error.status)
