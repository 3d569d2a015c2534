"""Emptying the test database after a test with real transactions.

Django truncates every table, and PostgreSQL makes new files for each table and index: 0.14 seconds
of CPU time. Deleting the few rows of a test takes a hundredth of a second.
"""

from __future__ import annotations

from typing import Any

from django.core.management.commands import flush


def delete_rows(style: Any, connection: Any, *, reset_sequences: bool = True, **more: Any) -> Any:
    """The SQL statements that empty all tables; replaces Django's `sql_flush`.

    As TRUNCATE does, the lock waits for the open transactions of other connections. Without the
    triggers, foreign keys set no order. Only a superuser may do without them, which the account of
    the embedded servers is.
    """
    if reset_sequences:
        return _sql_flush(style, connection, reset_sequences=True, **more)
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    names = [connection.ops.quote_name(table) for table in tables]
    return [
        f"LOCK TABLE {', '.join(names)} IN ACCESS EXCLUSIVE MODE",
        "SET LOCAL session_replication_role = replica",
        "; ".join(f"DELETE FROM {name}" for name in names),
    ]


_sql_flush = flush.sql_flush
