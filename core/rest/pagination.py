"""Lists in pages, by a cursor that says where the last page ended, not how many rows it had.

Rows that come or go meanwhile neither repeat nor hide others. The cursor is signed: what somebody
made up is refused before it reaches a query.

Not Django REST framework's CursorPagination: its cursor is unsigned and holds one field and an
offset among equal values, which shifts when rows come or go; it takes no rows that were computed;
and its pages have a field `previous`, which those of this API have not.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import urlencode

from django.core import signing
from django.db.models import Field, Model, Q, QuerySet
from rest_framework.request import Request

from core.rest.problems import RequestInvalidError

Row = TypeVar("Row")
ROWS = 50
SALT = "core.rest.pagination"


@dataclass(frozen=True)
class Page:
    """Some rows of a list, and the address of the next ones, if there are any."""

    results: Sequence[Any]
    next: str | None


def page_of_query(
    request: Request, found: QuerySet[Any], *by: str, limit: int | None = None
) -> Page:
    """The page that the request's cursor names, in the order of the fields `by`.

    The fields, each with `-` before it for descending, are together unique and never null.
    """
    limit = limit or ROWS
    after = _after(request, len(by))
    if after is not None:
        found = found.filter(_beyond(found.model, by, after))
    rows = list(found.order_by(*by)[: limit + 1])
    last = None
    if len(rows) > limit:
        rows = rows[:limit]
        last = [_plain(found.model, name, rows[-1]) for name in by]
    return Page(rows, _next(request, last))


def page_of_rows(
    request: Request, rows: Sequence[Row], key: Callable[[Row], Any], *, limit: int | None = None
) -> Page:
    """As `page_of_query`, of rows that were computed; they are in order of `key`, which is unique
    and a string or a number."""
    limit = limit or ROWS
    after = _after(request, 1)
    start = 0
    if after is not None:
        try:
            start = bisect.bisect_right(rows, after[0], key=key)
        except TypeError as error:
            raise _unknown() from error
    shown = rows[start : start + limit]
    last = [key(shown[-1])] if start + limit < len(rows) else None
    return Page(shown, _next(request, last))


def _after(request: Request, count: int) -> list[Any] | None:
    """What the cursor says the page before ended with; None for the first page."""
    given = request.query_params.get("cursor")
    if given is None:
        return None
    try:
        where, values = signing.loads(given, salt=SALT)
    except (signing.BadSignature, ValueError) as error:
        raise _unknown() from error
    if where != request.path or len(values) != count:
        raise _unknown()
    return list(values)


def _unknown() -> RequestInvalidError:
    return RequestInvalidError({"cursor": ["Take the cursor from `next` of a page of this list."]})


def _beyond(model: type[Model], by: Sequence[str], after: list[Any]) -> Q:
    """What comes after these values in the order of `by`."""
    condition, equal = Q(), Q()
    for name, value in zip(by, after, strict=True):
        plain = name.removeprefix("-")
        value = _field(model, plain).to_python(value)
        step = "lt" if name.startswith("-") else "gt"
        condition |= equal & Q(**{f"{plain}__{step}": value})
        equal &= Q(**{plain: value})
    return condition


def _plain(model: type[Model], name: str, row: Any) -> Any:
    return _field(model, name.removeprefix("-")).value_to_string(row)


def _field(model: type[Model], name: str) -> Field[Any, Any]:
    found = model._meta.pk if name == "pk" else model._meta.get_field(name)
    assert isinstance(found, Field)
    return found


def _next(request: Request, last: list[Any] | None) -> str | None:
    if last is None:
        return None
    cursor = signing.dumps([request.path, last], salt=SALT, compress=True)
    query = [
        (name, value)
        for name, values in request.query_params.lists()
        for value in values
        if name != "cursor"
    ]
    return request.build_absolute_uri(f"{request.path}?{urlencode([*query, ('cursor', cursor)])}")
