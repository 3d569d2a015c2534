"""The backend's connection; Django looks for it in a module of this name."""

from __future__ import annotations

import select

from django.db.backends.postgresql import base
from django.db.backends.utils import CursorWrapper


class DatabaseWrapper(base.DatabaseWrapper):
    """A connection that is checked without a query, and whose cursors of the server are safe.

    PgBouncer that pools by transactions gives each transaction another connection to PostgreSQL. A
    cursor that outlives its transaction is then looked for on a wrong one: reading fails, or finds
    no rows.
    """

    def chunked_cursor(self) -> CursorWrapper:
        """A cursor for a large result; without a transaction behind a pooler, one that holds the
        result in the memory of this process."""
        self.ensure_connection()
        if self.get_autocommit() and self.is_pooled():
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

    def is_pooled(self) -> bool:
        """Whether a pooler answered for PostgreSQL when the connection was opened: the number that
        it gave for the server's process is not the number of the one that answers queries."""
        with self.connection.cursor() as cursor:
            (pid,) = cursor.execute("SELECT pg_backend_pid()").fetchone()
        return bool(pid != self.connection.info.backend_pid)
