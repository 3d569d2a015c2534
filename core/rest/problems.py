"""Every error as a problem document (RFC 9457), made in one place.

An app that has errors of its own registers them here; an error that nobody registered is a fault
of the server and goes on to Django.
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

from core.security.problem_documents import PROBLEM_JSON, Fault, problem_document

Error = TypeVar("Error", bound=Exception)


@dataclass(frozen=True)
class Kind:
    """A kind of problem: `name` is its anchor in the documentation, `faults` finds the fields."""

    name: str
    status: int
    title: str
    faults: Callable[[Any], list[Fault]] | None = None


_KINDS: dict[type[Exception], Kind] = {}


def register(
    error: type[Error],
    name: str,
    status: int,
    title: str,
    faults: Callable[[Error], list[Fault]] | None = None,
) -> None:
    """Have the API answer this exception; its message is the problem's detail."""
    _KINDS[error] = Kind(name, status, title, faults)


def kinds() -> list[Kind]:
    """Every kind of problem there is, by status, for the documentation."""
    found = {kind.name: kind for kind in _KINDS.values()}
    return sorted(found.values(), key=lambda kind: (kind.status, kind.name))


class RequestInvalidError(exceptions.ValidationError):
    """The query of an address asks for something that makes no sense."""

    status_code = 400
    default_code = "query-invalid"


class PreconditionFailedError(exceptions.APIException):
    """If-Match names another state than the present one."""

    status_code = 412
    default_detail = (
        "It has changed since you read it: read it again, and decide whether your change still "
        "fits."
    )


def handle(error: Exception, context: dict[str, Any]) -> Response | None:
    """DRF's exception handler. None for what is a fault of the server."""
    kind = _kind_of(error)
    if kind is None:
        return None
    request = context["request"]
    address = f"{reverse('api-docs')}#problem-{kind.name}"
    body = problem_document(request, kind.status, kind.title, _detail(error), address)
    faults = _faults(error, kind)
    if faults:
        body["errors"] = faults
    response = Response(body, status=kind.status, content_type=PROBLEM_JSON)
    if challenge := getattr(error, "auth_header", None):
        response["WWW-Authenticate"] = challenge
    if wait := getattr(error, "wait", None):
        response["Retry-After"] = str(int(wait) + 1)
    return response


def _kind_of(error: Exception) -> Kind | None:
    for one in type(error).__mro__:
        if (kind := _KINDS.get(one)) is not None:
            return kind
    return None


def _detail(error: Exception) -> str:
    if isinstance(error, exceptions.ValidationError):
        first = next(_flat(error.detail), None)
        if first is None:
            return "The request cannot be taken as it is."
        return f"{first['field']}: {first['detail']}" if first["field"] else first["detail"]
    if isinstance(error, exceptions.APIException):
        return str(error.detail)
    if isinstance(error, RowInvalidError):
        return " ".join(error.messages)
    return str(error) or _KINDS[Http404].title


def _of_row(error: RowInvalidError) -> list[Fault]:
    """What a row's own checks say, field by field."""
    if not hasattr(error, "error_dict"):
        return [{"field": "", "detail": text} for text in error.messages]
    return [
        {"field": "" if name == "__all__" else name, "detail": text}
        for name, texts in error.message_dict.items()
        for text in texts
    ]


def _faults(error: Exception, kind: Kind) -> list[Fault]:
    if isinstance(error, exceptions.ValidationError):
        return list(_flat(error.detail))
    return kind.faults(error) if kind.faults else []


def _flat(detail: Any, path: str = "") -> Iterator[Fault]:
    """DRF's nested errors as one row each: `protocol.scale.low`."""
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


register(exceptions.ParseError, "malformed", 400, "The body cannot be read")
register(RequestInvalidError, "query-invalid", 400, "The address asks for what there is not")
register(exceptions.NotAuthenticated, "account-needed", 401, "An account is needed")
register(exceptions.AuthenticationFailed, "token-refused", 401, "The token is not taken")
register(exceptions.PermissionDenied, "not-allowed", 403, "You may not do this")
register(PermissionDenied, "not-allowed", 403, "You may not do this")
register(exceptions.NotFound, "not-found", 404, "There is nothing here")
register(Http404, "not-found", 404, "There is nothing here")
register(exceptions.MethodNotAllowed, "method-not-allowed", 405, "Not with this method")
register(exceptions.NotAcceptable, "not-acceptable", 406, "The API speaks JSON")
register(PreconditionFailedError, "changed-meanwhile", 412, "It has changed meanwhile")
register(exceptions.UnsupportedMediaType, "media-type", 415, "A body of another kind is needed")
register(exceptions.ValidationError, "invalid", 422, "A field cannot be taken")
register(RowInvalidError, "invalid", 422, "A field cannot be taken", _of_row)
register(exceptions.Throttled, "too-many-requests", 429, "Too many requests")
register(BrokerError, "broker-away", 503, "Workers cannot be reached")
