"""Declarations of operations: enforced at each call, and the source of the OpenAPI document."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, is_dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, TypeVar, cast

from django.db import transaction
from django.http.response import HttpResponseBase
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import Serializer

from core.postgresql.locks import lock
from core.rest import conditional, idempotency
from core.rest.derived import serializer_of

if TYPE_CHECKING:
    from core.rest.views import ApiView

Handler = TypeVar("Handler", bound=Callable[..., HttpResponseBase])
# The type of a document, or a function that makes one.
Answer = Callable[..., object]
JSON = "application/json"
FORM = "multipart/form-data"


@dataclass(frozen=True)
class Operation:
    """The declaration of one HTTP method of an endpoint.

    scope: the scope that a token needs; None: any token will do.
    visitors: whether it can be called without an account.
    query, body: serializers of the query and the request body; or dataclasses with bounds, of
        which they are derived.
    answer: the document of the response: its type, or a function that returns the document of what
        the handler answers, `(value)` or `(value, request)`.
    takes, sends: content types of the request and the response.
    pages: whether the response is a page of a list of `answer`.
    creates: whether it takes an Idempotency-Key.
    changes: the view whose document an If-Match refers to.
    also: further responses, status to description.
    """

    summary: str
    scope: str | None = None
    visitors: bool = False
    # Serializers of no object, so that their type does not matter.
    query: type[Serializer[Any]] | None = None
    # The same.
    body: type[Serializer[Any]] | None = None
    takes: str = JSON
    answer: Answer | None = None
    pages: bool = False
    sends: str = JSON
    status: int = 200
    creates: bool = False
    changes: Callable[[], type[ApiView]] | None = None
    also: Mapping[int, str] = field(default_factory=dict)
    example: object = None
    answer_example: object = None
    tag: str = ""
    name: str = ""

    @property
    def id(self) -> str:
        """The operationId: `name`, or the summary in snake case."""
        return self.name or re.sub(r"[^a-z0-9]+", "_", self.summary.casefold()).strip("_")


def operation(summary: str, **options: Any) -> Callable[[Handler], Handler]:  # noqa: ANN401 - fields of Operation
    """Decorate a handler of an ApiView with its declaration (see Operation)."""
    if is_dataclass(options.get("body")):
        options["body"] = serializer_of(options["body"])
    if is_dataclass(options.get("query")):
        options["query"] = serializer_of(options["query"], is_query=True)
    declared = Operation(summary, **options)

    def decorate(handler: Handler) -> Handler:
        @wraps(handler)
        def handle(self: ApiView, request: Request, **parts: object) -> HttpResponseBase:
            def work() -> HttpResponseBase:
                return _check_match(self, request, declared, handler, **parts)

            return idempotency.run_once(request, work) if declared.creates else work()

        handle.operation = declared  # type: ignore[attr-defined]
        return cast(Handler, handle)

    return decorate


def _check_match(
    view: ApiView,
    request: Request,
    declared: Operation,
    handler: Callable[..., HttpResponseBase],
    **parts: object,
) -> HttpResponseBase:
    """Call the handler; before that, check If-Match if the operation changes a document."""
    if declared.changes is None or "If-Match" not in request.headers:
        return handler(view, request, **parts)
    with transaction.atomic():
        present: Any = declared.changes()()  # its handler `get` is that of a subclass
        lock(f"if-match:{type(present).__qualname__}:{sorted(parts.items())}")
        present.setup(request._request, **parts)
        present.request, present.handling = request, "get"
        document = present.get(request, **parts)
        assert isinstance(document, Response)
        conditional.require_match(request, document.data)
        return handler(view, request, **parts)
