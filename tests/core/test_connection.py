"""The check of a connection before a request's first query."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest
from django.db import connection

from tests.waiting import wait_for

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def other() -> Iterator[psycopg.Connection]:
    """Another connection to the same database."""
    parameters = connection.get_connection_params() | {"cursor_factory": psycopg.Cursor}
    with psycopg.connect(**parameters, autocommit=True) as opened:
        yield opened


@pytest.fixture
def backend() -> int:
    connection.ensure_connection()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 'the last query'")
    return connection.connection.info.backend_pid


def last_query(other: psycopg.Connection, backend: int) -> str:
    row = other.execute("SELECT query FROM pg_stat_activity WHERE pid = %s", [backend]).fetchone()
    assert row is not None
    return str(row[0])


def test_a_connection_that_is_alive_is_checked_without_a_query(
    other: psycopg.Connection, backend: int
) -> None:
    assert connection.is_usable()
    assert last_query(other, backend) == "SELECT 'the last query'"


def test_after_a_failed_query_it_is_checked_by_a_query(
    other: psycopg.Connection, backend: int
) -> None:
    connection.errors_occurred = True
    assert connection.is_usable()
    assert last_query(other, backend) == "SELECT 1"


def test_a_connection_that_the_server_has_closed_is_not_usable(
    other: psycopg.Connection, backend: int
) -> None:
    other.execute("SELECT pg_terminate_backend(%s)", [backend])
    wait_for(lambda: not connection.is_usable())
    connection.health_check_enabled, connection.health_check_done = True, False
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    assert connection.connection.info.backend_pid != backend
