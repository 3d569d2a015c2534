"""Problem documents (RFC 9457): the error responses of the API."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from django.http import HttpRequest

from core.logs import context as logs

PROBLEM_JSON = "application/problem+json"


class Fault(TypedDict):
    """An error in a field or in a line of a file; an empty field is the whole request."""

    field: str
    detail: str
    file: NotRequired[str]
    line: NotRequired[int | None]


class ProblemDocument(TypedDict):
    """A problem (RFC 9457). `instance` is the request's URL, `request_id` its id in the logs."""

    type: str
    title: str
    status: int
    detail: str
    instance: NotRequired[str]
    request_id: NotRequired[str]
    errors: NotRequired[list[Fault]]


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
