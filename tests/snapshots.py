"""What many tests start from, made once and then inserted row by row.

The services that make a study with its ratings take a third of a second; copying the rows that they
leave takes a thirtieth.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from django.core.cache import cache
from django.db import connection, transaction

T = TypeVar("T")
# Then it is made anew: a snapshot holds times, and tests take what they start from for new.
MAX_AGE_SECONDS = 60
Rows = dict[str, list[bytes]]


class Snapshot(Generic[T]):
    """What `make` returns and the rows that it adds to the database, in the current transaction.

    `make` may refer to rows that are there each time with the same primary keys; it changes none.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made_at = -float("inf")
        self._result: T
        self._rows: Rows

    def restore(self) -> T:
        cache.clear()  # results are cached by the primary key of a study, which is the same again
        if time.monotonic() - self._made_at > MAX_AGE_SECONDS:
            self._take()
        else:
            _insert(self._rows)
        return copy.deepcopy(self._result)

    def _take(self) -> None:
        before = _all_rows()
        made_at = time.monotonic()
        self._result = self._make()
        added = {table: _without(rows, before[table]) for table, rows in _all_rows().items()}
        self._rows = {table: rows for table, rows in added.items() if rows}
        self._made_at = made_at


def _all_rows() -> Rows:
    with connection.cursor() as cursor:
        rows = {}
        for table in connection.introspection.table_names(cursor):
            with cursor.copy(f"COPY {connection.ops.quote_name(table)} TO STDOUT") as out:
                rows[table] = b"".join(out).splitlines(keepends=True)
        return rows


def _without(rows: list[bytes], before: list[bytes]) -> list[bytes]:
    known = set(before)
    return [row for row in rows if row not in known]


def _insert(rows: Rows) -> None:
    """Foreign keys are checked at the end of the transaction, so the tables come in any order."""
    with transaction.atomic(), connection.cursor() as cursor:
        for table, lines in rows.items():
            with cursor.copy(f"COPY {connection.ops.quote_name(table)} FROM STDIN") as into:
                into.write(b"".join(lines))
