"""A fault of the server, told in the form that whoever asked understands."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.defaults import server_error as server_error_page

from core.security.problem_documents import PROBLEM_JSON, problem_document

FAULT = "server-fault"


def server_error(request: HttpRequest) -> HttpResponse:
    """The answer to a request whose handling raised, which Django has logged: a problem document
    below /api/, else the page."""
    if not request.path_info.startswith("/api/"):
        return server_error_page(request)
    body = problem_document(
        request,
        500,
        "A fault of the server",
        "Something went wrong on our side, and is in the log. Nothing was changed by a "
        "request with an Idempotency-Key: send it again with the same one.",
        f"{reverse('api-docs')}#problem-{FAULT}",
    )
    return JsonResponse(body, status=500, content_type=PROBLEM_JSON)
