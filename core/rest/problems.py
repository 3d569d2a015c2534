"""Registry of the errors that the API answers, and their problem documents (RFC 9457).

Apps register their exceptions here. An exception that is not registered is an internal server
error, which Django handles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from django.core.exceptions import PermissionDenied
from django.core.exceptions import ValidationError as RowInvalidError
from django.http import Http404
from django.urls import reverse
from kombu.exceptions import OperationalError as BrokerError
from rest_framework import exceptions
from rest_framework.response import Response

from concord.documents.problems import FaultDocument
from core.refusals import KINDS as REFUSALS
from core.refusals import RefusedError
from core.security.problem_documents import PROBLEM_JSON, problem_document
from core.temporary import without_folders

Error = TypeVar("Error", bound=Exception)


@dataclass(frozen=True)
class ProblemKind:
    """A kind of problem. `name` is its anchor in the documentation; `faults` finds wrong fields."""

    name: str
    status: int
    title: str
    faults: Callable[[Any], list[FaultDocument]] | None = None  # an error of the kind


_KINDS: dict[type[Exception], ProblemKind] = {}


def register(
    error: type[Error],
    name: str,
    status: int,
    title: str,
    faults: Callable[[Error], list[FaultDocument]] | None = None,
) -> None:
    """Register an exception. Its message becomes the detail of the problem document."""
    _KINDS[error] = ProblemKind(name, status, title, faults)


def kinds() -> list[ProblemKind]:
    """All kinds of problems, by status, for the documentation."""
    refused = (ProblemKind(code, *kind) for code, kind in REFUSALS.items())
    by_name = {kind.name: kind for kind in (*refused, *_KINDS.values())}
    return sorted(by_name.values(), key=lambda kind: (kind.status, kind.name))


class RequestInvalidError(exceptions.ValidationError):
    """A query parameter is invalid."""

    status_code = 400
    default_code = "query-invalid"


def handle(error: Exception, context: dict[str, Any]) -> Response | None:  # as DRF calls it
    """DRF's exception handler. Returns None for an internal server error."""
    kind = _kind_of(error)
    if kind is None:
        return None
    request = context["request"]
    address = f"{reverse('api-docs')}#problem-{kind.name}"
    detail = without_folders(_detail(error))
    body = problem_document(request, kind.status, kind.title, detail, address)
    faults = _faults(error, kind)
    if faults:
        body["errors"] = [{**one, "detail": without_folders(one["detail"])} for one in faults]
    response = Response(body, status=kind.status, content_type=PROBLEM_JSON)
    if challenge := getattr(error, "auth_header", None):
        response["WWW-Authenticate"] = challenge
    wait = 1 if kind.name == "still-at-work" else getattr(error, "wait", None)
    if wait:
        response["Retry-After"] = str(int(wait) + 1)
    return response


def _kind_of(error: Exception) -> ProblemKind | None:
    if isinstance(error, RefusedError):
        return ProblemKind(error.code, error.status, error.title, _of_field)
    for one in type(error).__mro__:
        if (kind := _KINDS.get(one)) is not None:
            return kind
    return None


def _detail(error: Exception) -> str:
    if isinstance(error, exceptions.ValidationError):
        first = next(_flat(error.detail), None)
        if first is None:
            return "The request is not valid."
        return f"{first['field']}: {first['detail']}" if first["field"] else first["detail"]
    if isinstance(error, exceptions.APIException):
        return str(error.detail)
    if isinstance(error, RowInvalidError):
        return " ".join(error.messages)
    if isinstance(error, BrokerError):  # its message has the server's address
        return "The message broker cannot be reached just now. Try again in a moment."
    return str(error) or _KINDS[Http404].title


def _of_field(error: RefusedError) -> list[FaultDocument]:
    """The lines of a refusal of a field, each of which names a fault."""
    lines = str(error).splitlines() if error.field else []
    return [{"field": error.field, "detail": line} for line in lines if line]


def _of_row(error: RowInvalidError) -> list[FaultDocument]:
    """The errors of a model's validation, by field."""
    if not hasattr(error, "error_dict"):
        return [{"field": "", "detail": text} for text in error.messages]
    return [
        {"field": "" if name == "__all__" else name, "detail": text}
        for name, texts in error.message_dict.items()
        for text in texts
    ]


def _faults(error: Exception, kind: ProblemKind) -> list[FaultDocument]:
    if isinstance(error, exceptions.ValidationError):
        return list(_flat(error.detail))
    return kind.faults(error) if kind.faults else []


def _flat(detail: object, path: str = "") -> Iterator[FaultDocument]:
    """DRF's nested errors as a flat list, with paths such as `protocol.scale.low`."""
    if isinstance(detail, dict):
        for name, inner in detail.items():
            own = "" if name == "non_field_errors" else str(name)
            yield from _flat(inner, ".".join(part for part in (path, own) if part))
    elif isinstance(detail, list | tuple):
        for at, inner in enumerate(detail):
            deeper = isinstance(inner, dict | list)
            if inner:
                yield from _flat(inner, f"{path}.{at}".lstrip(".") if deeper else path)
    else:
        yield {"field": path, "detail": str(detail)}


register(exceptions.ParseError, "malformed", 400, "Malformed request body")
register(RequestInvalidError, "query-invalid", 400, "Invalid query parameter")
register(exceptions.NotAuthenticated, "account-needed", 401, "Authentication required")
register(exceptions.AuthenticationFailed, "token-refused", 401, "Invalid token")
register(exceptions.PermissionDenied, "not-allowed", 403, "Not allowed")
register(PermissionDenied, "not-allowed", 403, "Not allowed")
register(exceptions.NotFound, "not-found", 404, "Not found")
register(Http404, "not-found", 404, "Not found")
register(exceptions.MethodNotAllowed, "method-not-allowed", 405, "Method not allowed")
register(exceptions.NotAcceptable, "not-acceptable", 406, "The API answers with JSON only")
register(exceptions.UnsupportedMediaType, "media-type", 415, "Unsupported media type")
register(exceptions.ValidationError, "invalid", 422, "Invalid field")
register(RowInvalidError, "invalid", 422, "Invalid field", _of_row)
register(exceptions.Throttled, "too-many-requests", 429, "Too many requests")
register(BrokerError, "broker-away", 503, "The message broker cannot be reached")
