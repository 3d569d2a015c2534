"""The response to an internal server error: a page, or a problem document of the API."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse
from django.views.defaults import server_error as server_error_page

from core.security.problem_documents import PROBLEM_JSON, problem_document

SERVER_ERROR = "server-fault"  # a public name


def server_error(request: HttpRequest) -> HttpResponse:
    """Django's handler500: a problem document below /api/, otherwise a page."""
    if not request.path_info.startswith("/api/"):
        return server_error_page(request)
    body = problem_document(
        request,
        500,
        "Internal server error",
        "The server failed and has logged the error. A request with an Idempotency-Key changed "
        "nothing: send it again with the same key.",
        f"{reverse('api-docs')}#problem-{SERVER_ERROR}",
    )
    return JsonResponse(body, status=500, content_type=PROBLEM_JSON)
