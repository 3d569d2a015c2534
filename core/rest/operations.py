"""What an endpoint says of itself, once: enforced when it is called, and written in the schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from django.db import transaction
from django.http.response import HttpResponseBase
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer

from core.rest import conditional, idempotency
from core.rest.problems import register

if TYPE_CHECKING:
    from core.rest.views import ApiView

Handler = TypeVar("Handler", bound=Callable[..., HttpResponseBase])
JSON = "application/json"
FORM = "multipart/form-data"


class ScopeNeededError(APIException):
    """The token was made without the scope that this needs."""

    status_code = 403
    default_detail = "The token lacks a scope."


class BrowserNeededError(APIException):
    """A token may not do this, whatever its scopes."""

    status_code = 403
    default_detail = (
        "No token may do this: sign in to the pages, so that a lost token cannot make others."
    )


register(ScopeNeededError, "scope-needed", 403, "The token lacks a scope")
register(BrowserNeededError, "browser-needed", 403, "Sign in to the pages for this")


@dataclass(frozen=True)
class Operation:
    """One method of one address.

    scope: what a token needs; None: any token does, or with `browser_only` none.
    visitors: whether it answers without an account, which may still see nothing.
    query, body, answer: serializers of what comes and goes; `pages`: the answer is a page of such.
    sends: the answer's content type where that is not JSON.
    creates: takes an Idempotency-Key. changes: the view whose document an If-Match is about.
    also: further answers, status to sentence.
    """

    summary: str
    scope: str | None = None
    visitors: bool = False
    browser_only: bool = False
    query: type[BaseSerializer[Any]] | None = None
    body: type[BaseSerializer[Any]] | None = None
    takes: str = JSON
    answer: Any = None
    pages: bool = False
    sends: str = JSON
    status: int = 200
    creates: bool = False
    changes: Callable[[], type[ApiView]] | None = None
    also: Mapping[int, str] = field(default_factory=dict)
    example: Any = None
    answer_example: Any = None
    tag: str = ""
    name: str = ""

    @property
    def id(self) -> str:
        """Its operationId: the summary in snake case."""
        return self.name or re.sub(r"[^a-z0-9]+", "_", self.summary.casefold()).strip("_")


def operation(summary: str, **told: Any) -> Callable[[Handler], Handler]:
    """Declare what a handler of an ApiView is (see Operation), and have it kept."""
    declared = Operation(summary, **told)

    def decorate(handler: Handler) -> Handler:
        @wraps(handler)
        def handle(self: Any, request: Request, **parts: Any) -> HttpResponseBase:
            def work() -> Any:
                return _checked(self, request, declared, handler, **parts)

            return idempotency.once(request, work) if declared.creates else work()

        handle.operation = declared  # type: ignore[attr-defined]
        return cast(Handler, handle)

    return decorate


def _checked(view: Any, request: Request, declared: Operation, handler: Any, **parts: Any) -> Any:
    """The handler's answer, behind If-Match where it changes a document."""
    if declared.changes is None or "If-Match" not in request.headers:
        return handler(view, request, **parts)
    with transaction.atomic():
        present: Any = declared.changes()()
        conditional.lock(f"{type(present).__qualname__}:{sorted(parts.items())}")
        present.setup(request._request, **parts)
        present.request, present.handling = request, "get"
        document = present.get(request, **parts)
        assert isinstance(document, Response)
        conditional.require_match(request, document.data)
        return handler(view, request, **parts)
