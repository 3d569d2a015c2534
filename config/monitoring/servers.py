"""Connections to database and broker with short timeouts, for health checks and metrics.

Connections of Django and Celery may wait minutes for a server that does not answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
from celery import current_app
from django.conf import settings
from django.db import connection
from kombu import Connection
from kombu.exceptions import OperationalError
from psycopg import sql

TIMEOUT_SECONDS = 2
DATABASE_ERRORS = (psycopg.Error, OSError)
BROKER_ERRORS = (OperationalError, OSError)
_REDIS_OPTIONS = {"socket_connect_timeout": TIMEOUT_SECONDS, "socket_timeout": TIMEOUT_SECONDS}
_RABBITMQ_OPTIONS = {"read_timeout": TIMEOUT_SECONDS, "write_timeout": TIMEOUT_SECONDS}


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


@contextmanager
def broker() -> Iterator[Connection]:
    """A connection to the broker. Raises one of BROKER_ERRORS."""
    url = settings.CELERY_BROKER_URL
    options = _REDIS_OPTIONS if url.startswith("redis") else _RABBITMQ_OPTIONS
    with current_app.connection_for_read(
        url, connect_timeout=TIMEOUT_SECONDS, transport_options=options
    ) as opened:
        try:
            opened.ensure_connection(max_retries=1, timeout=TIMEOUT_SECONDS)
            yield opened
        except (*opened.connection_errors, *opened.channel_errors) as error:
            # RabbitMQ reports a wrong password as a channel error.
            raise OperationalError(str(error)) from error
