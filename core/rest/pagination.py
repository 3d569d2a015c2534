"""Pages of lists by a cursor.

The cursor holds the values of the last row, so rows that are added or deleted between two pages
neither repeat nor hide others. It is signed: a forged cursor never reaches a query.

Django REST framework's CursorPagination is not used. Its cursor is unsigned and holds one field and
an offset among equal values, which shifts when rows change. It cannot page computed rows.
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
DEFAULT_LIMIT = 50
SALT = "core.rest.pagination"


@dataclass(frozen=True)
class Page:
    """Rows of a list, and the URL of the next page; None on the last page."""

    results: Sequence[Any]  # models, or rows of a computed list
    next: str | None


def page_of_query(
    request: Request, rows: QuerySet[Model], *order_by: str, limit: int | None = None
) -> Page:
    """The page of `rows` that the request's cursor selects, in the order of the fields `order_by`.

    A `-` before a field means descending. Together, the fields must be unique and never null.
    """
    limit = limit or DEFAULT_LIMIT
    after = _read_cursor(request, len(order_by))
    if after is not None:
        rows = rows.filter(_rows_after(rows.model, order_by, after))
    page = list(rows.order_by(*order_by)[: limit + 1])
    last = None
    if len(page) > limit:
        page = page[:limit]
        last = [_field_value(rows.model, name, page[-1]) for name in order_by]
    return Page(page, _next_url(request, last))


def page_of_rows(
    request: Request,
    rows: Sequence[Row],
    key: Callable[[Row], str | int],
    *,
    limit: int | None = None,
) -> Page:
    """The same for computed rows, which are sorted by `key`: a unique string or number."""
    limit = limit or DEFAULT_LIMIT
    after = _read_cursor(request, 1)
    start = 0
    if after is not None:
        try:
            start = bisect.bisect_right(rows, after[0], key=key)
        except TypeError as error:
            raise _invalid_cursor() from error
    page = rows[start : start + limit]
    last = [key(page[-1])] if start + limit < len(rows) else None
    return Page(page, _next_url(request, last))


def _read_cursor(request: Request, count: int) -> list[Any] | None:  # JSON of a client
    """The values of the last row of the previous page; None for the first page."""
    cursor = request.query_params.get("cursor")
    if cursor is None:
        return None
    try:
        path, values = signing.loads(cursor, salt=SALT)
    except (signing.BadSignature, ValueError) as error:
        raise _invalid_cursor() from error
    if path != request.path or len(values) != count:
        raise _invalid_cursor()
    return list(values)


def _invalid_cursor() -> RequestInvalidError:
    return RequestInvalidError(
        {"cursor": ["Invalid cursor. Use the one in `next` of the previous page of this list."]}
    )


def _rows_after(model: type[Model], order_by: Sequence[str], after: list[object]) -> Q:
    """Selects the rows after these values in the order of `order_by`."""
    condition, equal = Q(), Q()
    for name, value in zip(order_by, after, strict=True):
        field = name.removeprefix("-")
        value = _field(model, field).to_python(value)
        lookup = "lt" if name.startswith("-") else "gt"
        condition |= equal & Q(**{f"{field}__{lookup}": value})
        equal &= Q(**{field: value})
    return condition


def _field_value(model: type[Model], name: str, row: Model) -> object:
    return _field(model, name.removeprefix("-")).value_to_string(row)


def _field(model: type[Model], name: str) -> Field[Any, Any]:  # of any values
    field = model._meta.pk if name == "pk" else model._meta.get_field(name)
    assert isinstance(field, Field)
    return field


def _next_url(request: Request, last: Sequence[object] | None) -> str | None:
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
