"""Connections to the database with short timeouts, for health checks and metrics.

Those of Django may wait minutes for a server that does not answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from django.db import connection
from psycopg import sql

from core.jobs.broker import TIMEOUT_SECONDS

DATABASE_ERRORS = (psycopg.Error, OSError)


@contextmanager
def database() -> Iterator[psycopg.Cursor[Any]]:  # rows of any columns
    """A read-only transaction on the database. Raises one of DATABASE_ERRORS."""
    parameters = connection.get_connection_params() | {
        "cursor_factory": psycopg.Cursor,
        "connect_timeout": TIMEOUT_SECONDS,
        "tcp_user_timeout": TIMEOUT_SECONDS * 1000,
    }
    with psycopg.connect(**parameters) as own, own.cursor() as cursor:
        # Set in the transaction, because PgBouncer refuses it in the connection's options.
        limit = sql.Literal(f"{TIMEOUT_SECONDS}s")
        cursor.execute("SET TRANSACTION READ ONLY")
        cursor.execute(sql.SQL("SET LOCAL statement_timeout = {}").format(limit))
        yield cursor
