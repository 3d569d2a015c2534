"""Problem documents (RFC 9457), the error responses of the API, and refusals before a view."""

from __future__ import annotations

from collections.abc import Mapping

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render

from concord.documents.problems import ProblemDocument
from core.logs import context as logs

PROBLEM_JSON = "application/problem+json"


def problem_document(
    request: HttpRequest, status: int, title: str, detail: str, kind: str = "about:blank"
) -> ProblemDocument:
    """The document for a failed request; `kind` is the URL of the problem type."""
    return {
        "type": kind,
        "title": title,
        "status": status,
        "detail": detail,
        "instance": request.get_full_path(),
        "request_id": logs.request_id.get(),
    }


def respond(
    request: HttpRequest,
    status: int,
    title: str,
    message: str,
    template: str,
    context: Mapping[str, object],
) -> HttpResponse:
    """The response to a request that no view sees: a problem document of the API, JSON for clients
    that send it or accept no page, else the page of `template`."""
    if request.path_info.startswith("/api/"):
        problem = problem_document(request, status, title, message)
        return JsonResponse(problem, status=status, content_type=PROBLEM_JSON)
    if request.content_type == "application/json" or not request.accepts("text/html"):
        return JsonResponse({"error": message}, status=status)
    return render(request, template, context, status=status)
