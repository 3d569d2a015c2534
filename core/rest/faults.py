"""The response to an internal server error: a page, or a problem document of the API."""

from __future__ import annotations

import sys

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.defaults import server_error as server_error_page

from core.database_errors import DATABASE_AWAY
from core.rest.problems import ProblemKind
from core.security.problem_documents import PROBLEM_JSON, problem_document

SERVER_ERROR = ProblemKind("server-fault", 500, "Internal server error")
NO_DATABASE = ProblemKind("database-away", 503, "The database cannot be reached")
_DETAILS = {
    SERVER_ERROR: "The server failed and has logged the error. ",
    NO_DATABASE: "The database cannot be reached just now. Try again in a moment. ",
}
_AGAIN = "A request with an Idempotency-Key changed nothing: send it again with the same key."
_RETRY_AFTER_SECONDS = 2


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler500: a problem document below /api/, otherwise a page. While the database is
    away the status is 503, upon which programs and proxies try again."""
    is_away = isinstance(sys.exception(), DATABASE_AWAY)
    kind = NO_DATABASE if is_away else SERVER_ERROR
    response: HttpResponse
    if request.path_info.startswith("/api/"):
        address = f"{reverse('api-docs')}#problem-{kind.name}"
        detail = _DETAILS[kind] + _AGAIN
        body = problem_document(request, kind.status, kind.title, detail, address)
        response = JsonResponse(body, content_type=PROBLEM_JSON)
    else:
        response = server_error_page(request, template_name=f"{kind.status}.html")
    response.status_code = kind.status
    if is_away:
        response["Retry-After"] = str(_RETRY_AFTER_SECONDS)
        response["Cache-Control"] = "no-store"
    return response
