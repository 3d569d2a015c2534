"""The base of every endpoint."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, cast

from django.db.models import Model, QuerySet
from django.http import Http404
from django.http.response import HttpResponseBase
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from concord.documents.conversion import as_declared, is_document, to_json
from core.accounts.models import ApiToken
from core.refusals import RefusedError
from core.rest import conditional, pagination
from core.rest.derived import value_of
from core.rest.document_schema import takes_request
from core.rest.operations import JSON, Operation, operation
from core.rest.problems import RequestInvalidError
from core.rest.schema import OperationSchema
from core.rest.serializers import ValidatedData, parse_query

SAFE = ("GET", "HEAD")
Kind = TypeVar("Kind")
Row = TypeVar("Row")


class DeclaredPermission(BasePermission):
    """Checks the declaration of the operation. Services decide which objects a user can see."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        declared: Operation | None = getattr(view, "operation", None)
        if declared is None:
            return True  # no such method: the answer is 405
        if not request.user.is_authenticated:
            if not declared.visitors:
                raise NotAuthenticated("Sign in, or send an API token from your account page.")
            return True
        token = request.auth
        assert token is None or isinstance(token, ApiToken)
        if token is None:
            return True
        if declared.scope and declared.scope not in token.scopes:
            raise RefusedError(
                f"This needs a token with the scope {declared.scope}. Your token has: "
                f"{', '.join(token.scopes)}.",
                "scope-needed",
            )
        return True


class ApiView(APIView):
    """Base class of endpoints. `operation` declares each handler; services check permissions."""

    permission_classes = (DeclaredPermission,)
    http_method_names = ["get", "post", "put", "patch", "delete", "head"]
    schema = OperationSchema()
    # The method whose handler is called if it is not the request's own, to read a document before
    # changing it.
    handling = ""

    @property
    def operation(self) -> Operation | None:
        """The declaration of the request's handler; None if there is no handler."""
        method = self.handling or (self.request.method or "").lower()
        declared: Operation | None = getattr(getattr(self, method, None), "operation", None)
        return declared

    @property
    def declared(self) -> Operation:
        """As `operation`, for use in a handler."""
        return cast(Operation, self.operation)

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        if any("\x00" in str(value) for value in kwargs.values()):
            raise Http404("Names cannot contain NUL characters.")
        super().initial(request, *args, **kwargs)

    def query(self) -> ValidatedData:
        """The validated query parameters. Raises RequestInvalidError."""
        assert self.declared.query is not None
        data = parse_query(self.request.query_params, self.declared.query)
        serializer = self.declared.query(data=data, context=self.context())
        if not serializer.is_valid():
            raise RequestInvalidError(dict(serializer.errors))
        values: ValidatedData = serializer.validated_data
        return values

    def body(self) -> ValidatedData:
        """The validated request body. Raises ValidationError."""
        assert self.declared.body is not None
        context = {**self.context(), "native": self.declared.takes == JSON}
        serializer = self.declared.body(data=self.request.data, context=context)
        serializer.is_valid(raise_exception=True)
        values: ValidatedData = serializer.validated_data
        return values

    def input(self, kind: type[Kind]) -> Kind:
        """The validated body, or query, as an object of the dataclass that it is derived from.

        Raises ValidationError, or RequestInvalidError for a query.
        """
        body = self.declared.body
        values = self.body() if getattr(body, "dataclass", None) is kind else self.query()
        return value_of(kind, values)

    def answer(self, value: object, *, location: str | None = None) -> Response:
        """A response with the value as the operation's document. location: URL of a new object."""
        document = self._document(value)
        headers = {} if location is None else {"Location": location}
        return Response(document, status=self.declared.status, headers=headers)

    def accepted(self, job: object, location: str) -> Response:
        """The answer 202 for a job that a worker will do. location: URL that clients poll."""
        response = self.answer(job, location=location)
        response["Retry-After"] = "1"
        return response

    def page_of_query(self, rows: QuerySet[Model], *order_by: str) -> Response:
        """A page of a queryset (see `core.rest.pagination`)."""
        limit = self.query().get("limit")
        return self._page(pagination.page_of_query(self.request, rows, *order_by, limit=limit))

    def page_of_rows(self, rows: Sequence[Row], key: Callable[[Row], str | int]) -> Response:
        """A page of computed rows (see `core.rest.pagination`)."""
        limit = self.query().get("limit")
        return self._page(pagination.page_of_rows(self.request, rows, key, limit=limit))

    def context(self) -> dict[str, object]:
        return {"request": self.request, "view": self}

    def finalize_response(
        self,
        request: Request,
        response: Any,  # noqa: ANN401 - DRF declares only its own Response
        *args: object,
        **kwargs: object,
    ) -> Any:  # noqa: ANN401 - the same
        """Add the ETag of what was read."""
        is_read = request.method in SAFE and isinstance(response, Response)
        if is_read and response.status_code == 200:
            response = conditional.add_etag(request, response)
        final: HttpResponseBase = super().finalize_response(request, response, *args, **kwargs)
        if is_read:
            final.headers.setdefault("Cache-Control", "private, no-cache")
        return final

    def _document(self, value: object) -> object:
        answer = self.declared.answer
        if answer is None:
            return value
        if is_document(answer):
            return to_json(as_declared(answer, value))
        return to_json(answer(value, self.request) if takes_request(answer) else answer(value))

    def _page(self, page: pagination.Page) -> Response:
        rows = [self._document(row) for row in page.results]
        return Response({"results": rows, "next": page.next})


class UnknownUrl(ApiView):
    """All other URLs of the API."""

    schema = None  # type: ignore[assignment]

    @operation("Nothing", visitors=True)
    def get(self, request: Request, **parts: object) -> Response:
        raise Http404("The API has no such URL. See /api/v1/docs/ for all URLs.")

    post = put = patch = delete = get
