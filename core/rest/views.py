"""The base of every endpoint."""

from __future__ import annotations

from typing import Any, cast

from django.http import Http404
from django.http.response import HttpResponseBase
from rest_framework.exceptions import NotAuthenticated
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.serializers import BaseSerializer
from rest_framework.views import APIView

from core.rest import conditional, pagination, renaming
from core.rest.operations import JSON, BrowserNeededError, Operation, ScopeNeededError, operation
from core.rest.problems import RequestInvalidError
from core.rest.schema import OperationSchema
from core.rest.serializers import singled

SAFE = ("GET", "HEAD")


class DeclaredPermission(BasePermission):
    """Lets in whom the operation declares; what they may see of it, its service decides."""

    def has_permission(self, request: Request, view: Any) -> bool:
        declared: Operation | None = view.operation
        if declared is None:
            return True  # no such method: answered with 405
        if not request.user.is_authenticated:
            if not declared.visitors:
                raise NotAuthenticated("Sign in, or send a token of your account's page.")
            return True
        token: Any = request.auth
        if token is None:
            return True
        if declared.browser_only:
            raise BrowserNeededError
        if declared.scope and declared.scope not in token.scopes:
            raise ScopeNeededError(
                f"This needs a token with the scope {declared.scope}; this one has "
                f"{', '.join(token.scopes)}."
            )
        return True


class ApiView(APIView):
    """An endpoint. Each handler is declared by `operation`; services decide what a user may do."""

    permission_classes = (DeclaredPermission,)
    http_method_names = ["get", "post", "put", "patch", "delete", "head"]
    schema = OperationSchema()
    # The method whose handler is called, where that is not the request's own: to read a document
    # before a change to it.
    handling = ""
    # Whether the request used the old name of a field (core.rest.renaming).
    uses_old_names = False

    @property
    def operation(self) -> Operation | None:
        """What the handler of the request's method declares; None where there is none."""
        method = self.handling or (self.request.method or "").lower()
        declared: Operation | None = getattr(getattr(self, method, None), "operation", None)
        return declared

    @property
    def declared(self) -> Operation:
        """As `operation`, inside a handler, where there is one."""
        return cast(Operation, self.operation)

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        if any("\x00" in str(value) for value in kwargs.values()):
            raise Http404("No name holds a NUL character.")
        super().initial(request, *args, **kwargs)

    def query(self) -> dict[str, Any]:
        """The address's query, checked. Raises RequestInvalidError."""
        assert self.declared.query is not None
        asked = singled(self.request.query_params, self.declared.query)
        given = self.declared.query(data=asked, context=self.context())
        if not given.is_valid():
            raise RequestInvalidError(cast(Any, given.errors))
        return cast(dict[str, Any], given.validated_data)

    def body(self) -> dict[str, Any]:
        """The request's body, checked. Raises ValidationError."""
        assert self.declared.body is not None
        context = {**self.context(), "native": self.declared.takes == JSON}
        given = self.declared.body(data=self.request.data, context=context)
        given.is_valid(raise_exception=True)
        return cast(dict[str, Any], given.validated_data)

    def answer(self, value: Any, *, location: str | None = None) -> Response:
        """The value as the operation's document, with its status; `location` of what was made."""
        document = self._document(value)
        headers = {} if location is None else {"Location": location}
        return Response(document, status=self.declared.status, headers=headers)

    def page_of_query(self, found: Any, *by: str) -> Response:
        """A page of a list (see `core.rest.pagination`)."""
        asked = self.query()
        return self._page(pagination.page_of_query(self.request, found, *by, limit=_limit(asked)))

    def page_of_rows(self, rows: Any, key: Any) -> Response:
        """A page of computed rows (see `core.rest.pagination`)."""
        asked = self.query()
        return self._page(pagination.page_of_rows(self.request, rows, key, limit=_limit(asked)))

    def context(self) -> dict[str, Any]:
        return {"request": self.request, "view": self}

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Any:
        """Add the ETag of what was read, and `Deprecation` where the request used an old name."""
        reads = request.method in SAFE and isinstance(response, Response)
        if reads and response.status_code == 200:
            response = conditional.answer(request, response)
        found: HttpResponseBase = super().finalize_response(request, response, *args, **kwargs)
        if reads:
            found.headers.setdefault("Cache-Control", "private, no-cache")
        if self.uses_old_names:
            found.headers[renaming.HEADER] = renaming.RENAMED_ON
        return found

    def _document(self, value: Any) -> Any:
        if self.declared.answer is None:
            return value
        found: BaseSerializer[Any] = self.declared.answer(value, context=self.context())
        return found.data

    def _page(self, page: pagination.Page) -> Response:
        rows = [self._document(row) for row in page.results]
        return Response({"results": rows, "next": page.next})


class NothingHere(ApiView):
    """Any other address of the API."""

    schema = None  # type: ignore[assignment]

    @operation("Nothing", visitors=True)
    def get(self, request: Request, **kwargs: Any) -> Response:
        raise Http404("There is nothing at this address; /api/v1/docs/ lists what there is.")

    post = put = patch = delete = get


def _limit(asked: dict[str, Any]) -> int | None:
    limit: int | None = asked.get("limit")
    return limit
