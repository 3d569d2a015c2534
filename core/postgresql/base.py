"""The backend's connection; Django looks for it in a module of this name."""

from __future__ import annotations

import select
from typing import LiteralString, Self

from django.db.backends.postgresql import base
from django.db.backends.utils import CursorWrapper
from psycopg import Cursor
from psycopg.abc import Params
from psycopg.adapt import Dumper, PyFormat
from psycopg.rows import TupleRow
from psycopg.types.numeric import IntDumper


class PreparingCursor(Cursor[TupleRow]):
    """Has PostgreSQL prepare each statement at its first execution on the connection.

    Only these: of all statements that psycopg might prepare it keeps the text of the last hundred.
    """

    def execute(  # type: ignore[override]
        self, query: LiteralString, params: Params | None = None
    ) -> Self:
        self.connection.prepare_threshold = 0
        try:
            return super().execute(query, params)
        finally:
            self.connection.prepare_threshold = None


class BigintDumper(IntDumper):
    """Sends all whole numbers as one type, unless they are too large for it."""

    def upgrade(self, obj: int, format: PyFormat) -> Dumper:
        is_bigint = -(2**63) <= obj < 2**63
        return self._int8_dumper if is_bigint else self._int_numeric_dumper


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that is checked without a query, prepares statements, and is safe to pool.

    PgBouncer that pools by transactions gives each transaction another connection to PostgreSQL. A
    cursor or a prepared statement that outlives its transaction is then looked for on a wrong one:
    reading fails, or finds no rows.
    """

    def init_connection_state(self) -> None:
        super().init_connection_state()
        # One type for all numbers, else a statement is prepared for those of each size.
        self.connection.adapters.register_dumper(int, BigintDumper)
        # A pooler answers for PostgreSQL when the connection is opened: the number that it gives
        # for the server's process is not the number of the one that answers queries.
        with self.connection.cursor() as cursor:
            (pid,) = cursor.execute("SELECT pg_backend_pid()").fetchone()
        self.is_pooled = bool(pid != self.connection.info.backend_pid)

    def prepared_cursor(self) -> CursorWrapper:
        """A cursor whose statements PostgreSQL plans once on a connection, not behind a pooler.

        It sends their parameters apart from their text. In a log of queries both are together, as
        Django's cursors send them.
        """
        self.close_if_health_check_failed()
        self.ensure_connection()
        if self.is_pooled or self.queries_logged:
            return self.cursor()
        with self.wrap_database_errors:
            return self.make_cursor(PreparingCursor(self.connection))  # type: ignore[arg-type]

    def chunked_cursor(self) -> CursorWrapper:
        """A cursor for a large result; without a transaction behind a pooler, one that holds the
        result in the memory of this process."""
        self.ensure_connection()
        if self.get_autocommit() and self.is_pooled:
            return self.cursor()
        return super().chunked_cursor()

    def is_usable(self) -> bool:
        """Whether the connection is alive, which Django asks before a request's first query.

        A server says when it closes a connection, so one that has said nothing since the last query
        needs no query of its own, unless that failed.
        """
        if self.connection is None or self.connection.closed or self.errors_occurred:
            return bool(super().is_usable())
        idle = select.poll()
        idle.register(self.connection.fileno(), select.POLLIN)
        return not idle.poll(0) or bool(super().is_usable())
