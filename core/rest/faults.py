"""A fault of the server, told in the form that whoever asked understands."""

from __future__ import annotations

import sys

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.defaults import server_error as server_error_page

from core.database_errors import DATABASE_AWAY as AWAY
from core.rest.problems import Kind
from core.security.problem_documents import PROBLEM_JSON, problem_document

FAULT = Kind("server-fault", 500, "A fault of the server")
DATABASE_AWAY = Kind("database-away", 503, "The database cannot be reached")
_DETAILS = {
    FAULT: "Something went wrong on our side, and is in the log. ",
    DATABASE_AWAY: "The database cannot be reached just now. Try again in a moment. ",
}
_AGAIN = (
    "Nothing was changed by a request with an Idempotency-Key: send it again with the same one."
)
_RETRY_AFTER_SECONDS = 2


def server_error(request: HttpRequest) -> HttpResponse:
    """The answer to a request whose handling raised, which Django has logged: a problem document
    below /api/, else the page. While the database is away the status is 503, upon which programs
    and proxies try again."""
    is_away = isinstance(sys.exception(), AWAY)
    kind = DATABASE_AWAY if is_away else FAULT
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
