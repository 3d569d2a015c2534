"""Problem documents (RFC 9457): the error responses of the API."""

from __future__ import annotations

from django.http import HttpRequest

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
