"""PgBouncer that pools by transactions, in front of the tests' database."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from django.contrib.auth.models import User
from django.db import connection, transaction

from annotation.crowds.services import scheduling
from core.compiled_queries import CompiledQuery, Parameter
from core.processes import die_with_parent
from tests.fleet.databases import on_database
from tests.fleet.servers import PGBOUNCER, SHIPPED
from tests.waiting import wait_for

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def pooled_url(database_url: str) -> Iterator[str]:
    """The tests' database through a PgBouncer with the shipped settings."""
    if not PGBOUNCER.exists():
        pytest.skip("pgbouncer is not installed (tests/fleet/install_servers.sh)")
    parameters = psycopg.conninfo.conninfo_to_dict(database_url)
    host, user, name = (str(parameters[key]) for key in ("host", "user", "dbname"))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
    with tempfile.TemporaryDirectory(prefix="concord-pgbouncer-") as folder:
        os.chmod(folder, 0o755)
        users = Path(folder) / "users"
        users.write_text(f'"{user}" ""\n')
        text = (SHIPPED / "pgbouncer.ini").read_text()
        for shipped, own in (
            ("concord = host=127.0.0.1 port=5432", f"{name} = host={host} user={user}"),
            ("listen_port = 6432", f"listen_port = {port}"),
            ("auth_type = scram-sha-256", "auth_type = trust"),
            ("auth_file = /etc/pgbouncer/userlist.txt", f"auth_file = {users}"),
        ):
            assert text.count(shipped) == 1, shipped
            text = text.replace(shipped, own)
        configuration = Path(folder) / "pgbouncer.ini"
        configuration.write_text(text)
        pooler = subprocess.Popen(
            [PGBOUNCER, configuration],
            # PgBouncer refuses to be root; the embedded server's account may reach its socket.
            user=Path(host).stat().st_uid if os.geteuid() == 0 else None,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=die_with_parent(signal.SIGKILL),
        )
        try:
            url = f"postgresql://{user}@127.0.0.1:{port}/{name}"
            wait_for(lambda: answers(url))
            yield url
        finally:
            pooler.kill()
            pooler.wait()


def answers(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True


def test_a_large_result_is_whole_though_another_transaction_takes_its_connection(
    pooled_url: str,
) -> None:
    """A cursor of the server would be looked for on a connection that does not have it."""
    User.objects.bulk_create(User(username=f"user {number}") for number in range(9))
    with on_database(pooled_url), psycopg.connect(pooled_url) as other:
        rows = User.objects.order_by("pk").iterator(chunk_size=2)
        first = next(rows)
        other.execute("SELECT 1")  # begins a transaction on the connection that was last used
        assert len([first, *rows]) == 9


def test_results_are_held_in_memory_only_behind_a_pooler_and_without_a_transaction(
    database_url: str, pooled_url: str
) -> None:
    with on_database(database_url), connection.chunked_cursor() as cursor:
        assert cursor.name
    with on_database(pooled_url):
        with connection.chunked_cursor() as cursor:
            assert not getattr(cursor, "name", "")
        with transaction.atomic(), connection.chunked_cursor() as cursor:
            assert cursor.name


def test_a_compiled_query_runs_on_each_connection_that_it_gets(pooled_url: str) -> None:
    """A statement prepared on one of them would be missing on another."""
    users = CompiledQuery(lambda: User.objects.filter(pk=Parameter("pk")))
    with on_database(pooled_url), psycopg.connect(pooled_url) as other:
        assert users.rows(pk=1) == []
        other.execute("SELECT 1")  # begins a transaction on the connection that was last used
        assert users.rows(pk=1) == []


def test_the_lock_on_a_publication_is_given_up_though_its_connection_was_taken(
    pooled_url: str,
) -> None:
    """A lock of a session would stay behind, and nobody would make the publication's calls."""
    with on_database(pooled_url):
        with psycopg.connect(pooled_url) as other, scheduling.exclusive(1) as is_alone:
            assert is_alone
            with scheduling.exclusive(1) as is_alone_too:
                assert not is_alone_too
            other.execute("SELECT 1")
        with scheduling.exclusive(1) as is_alone_again:
            assert is_alone_again
    query = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = %s"
    with connection.cursor() as cursor:
        cursor.execute(query, [scheduling.LOCKS])
        assert cursor.fetchone() == (0,)
