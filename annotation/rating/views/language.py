"""The language of the raters' pages.

The rater's choice counts first, then the study's language, then the browser's. The choice is
stored with the participation, because the pages need no cookie; on pages without a participation it
is the parameter `language` of the URL.
"""

from __future__ import annotations

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy

from annotation.rating.models import Participation
from annotation.rating.services.languages import is_offered, set_rater_language
from annotation.studies.models import Study

PARAMETER = "language"
RATER_PAGES = "/rate/"
LATER = gettext_lazy("Wait a moment, then reload this page. What was saved before is safe.")
# What a rater reads where no view has answered: heading, and what to do next.
ERRORS: dict[int, tuple[str | Promise, str | Promise]] = {
    404: (gettext_lazy("Page not found"), gettext_lazy("Open the link that you received again.")),
    429: (gettext_lazy("Too many requests"), LATER),
    500: (gettext_lazy("The server has failed"), LATER),
    503: (gettext_lazy("Try again in a moment"), LATER),
}


class RaterLanguageMiddleware:
    """Shows the raters' pages, and their errors, in the language of the browser or the URL.

    Views that know the study or the participation change it by `speak_to_…`.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if not request.path_info.startswith(RATER_PAGES):
            return self.get_response(request)
        chosen = chosen_language(request)
        with translation.override(chosen or translation.get_language_from_request(request)):
            response = self.get_response(request)
            is_page = response.headers.get("Content-Type", "").startswith("text/html")
            if is_page and response.status_code in ERRORS and not has_answered(request):
                response = _error_page(request, response)
            response.headers["Content-Language"] = get_language() or ""
            return response


def chosen_language(request: HttpRequest) -> str:
    """The language that the URL names; empty if it names none that is offered."""
    language = request.GET.get(PARAMETER, "")
    return language if is_offered(language) else ""


def speak_to_rater(participation: Participation, chosen: str = "") -> None:
    """Continue in the rater's language, else in the study's. `chosen` in a form is stored."""
    set_rater_language(participation, chosen)
    _activate(participation.language, participation.study.rater_language)


def speak_to_visitor(request: HttpRequest, study: Study) -> None:
    """Continue in the language that the URL names, else in the study's."""
    _activate(chosen_language(request), study.rater_language)


def _activate(*languages: str) -> None:
    """Continue in the first of the languages that is offered, if any is."""
    for language in filter(is_offered, languages):
        translation.activate(language)
        return


def mark_answered(request: HttpRequest) -> None:
    """Note that a view has answered, so that its page is shown even with an error's status."""
    request.rater_view_answered = True  # type: ignore[attr-defined]


def has_answered(request: HttpRequest) -> bool:
    return getattr(request, "rater_view_answered", False)


def _error_page(request: HttpRequest, refused: HttpResponseBase) -> HttpResponseBase:
    """The page of an error that no view has answered, with the headers of the plain response."""
    heading, message = ERRORS[refused.status_code]
    response = render(
        request,
        "annotation/rating/error.html",
        {"heading": heading, "message": message},
        status=refused.status_code,
    )
    for name, value in refused.headers.items():
        if name not in ("Content-Length", "Content-Type"):
            response.headers[name] = value
    return response
