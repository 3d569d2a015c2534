"""Problem documents (RFC 9457): what the API answers in place of a result."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from django.http import HttpRequest

from core.logs import context as logs

PROBLEM_JSON = "application/problem+json"


class Fault(TypedDict):
    """What is wrong with a field, or with a line of a file; an empty field is the whole."""

    field: str
    detail: str
    file: NotRequired[str]
    line: NotRequired[int | None]


class ProblemDocument(TypedDict):
    """A problem (RFC 9457); `instance` is the address that was asked for, `request_id` the
    number of the request in the logs."""

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
    """The document of a request that was refused or failed; `kind` is its type's address."""
    return {
        "type": kind,
        "title": title,
        "status": status,
        "detail": detail,
        "instance": request.get_full_path(),
        "request_id": logs.request_id.get(),
    }
