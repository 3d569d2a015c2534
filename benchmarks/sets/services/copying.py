"""Rows of judgment sets written by COPY, and read in the order of candidates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from typing import Any

from django.db import connection, models

BLOCK = 5000
# A row's values, in the order of its columns.
RowValues = tuple[Any, ...]


def new_ids(model: type[models.Model], count: int) -> list[int]:
    """Reserve primary keys, so that rows can refer to rows that are not written yet."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT nextval(pg_get_serial_sequence(%s, 'id')) FROM generate_series(1, %s)",
            [model._meta.db_table, count],
        )
        return [row[0] for row in cursor.fetchall()]


def copy_rows(model: type[models.Model], rows: Iterable[RowValues]) -> None:
    """COPY rows whose values are in the order of the model's fields.

    `rows` must not run queries: the connection is busy until the end.
    """
    table = connection.ops.quote_name(model._meta.db_table)
    columns = ", ".join(
        connection.ops.quote_name(str(field.column)) for field in model._meta.concrete_fields
    )
    statement = f"COPY {table} ({columns}) FROM STDIN"
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for row in rows:
            copy.write_row(row)


def by_position(rows: Iterator[RowValues]) -> Callable[[int], list[RowValues]]:
    """A function that returns the rows of a candidate without their first column, its position.

    `rows` are sorted by position; call the function with ascending positions.
    """
    groups = groupby(rows, key=lambda row: row[0])
    following = next(groups, None)

    def rows_at(position: int) -> list[RowValues]:
        nonlocal following
        if following is None or following[0] != position:
            return []
        own = [row[1:] for row in following[1]]
        following = next(groups, None)
        return own

    return rows_at
