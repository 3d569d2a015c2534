"""A database whose machine is cut off in the middle of a query: who waits for it learns of it."""

from __future__ import annotations

import tempfile
import threading
import time
from pathlib import Path

import pytest
from django.db import OperationalError, connection

from tests.fleet.databases import on_database
from tests.fleet.network import Machine, network
from tests.fleet.servers import Postgres, require

pytestmark = [pytest.mark.slow, pytest.mark.django_db(transaction=True)]


def test_a_query_ends_soon_after_its_server_was_cut_off() -> None:
    """Without keepalives it would wait for an answer for two hours."""
    require()
    machine = Machine("db", 30)
    with (
        tempfile.TemporaryDirectory(prefix="concord-fleet-", ignore_cleanup_errors=True) as folder,
        network([machine]),
    ):
        Path(folder).chmod(0o755)
        server = Postgres(machine, Path(folder))
        server.initialise()
        server.start()
        with on_database(server.url.removesuffix("concord") + "postgres"):
            cursor = connection.cursor()
            cutting = threading.Timer(1, machine.cut)
            cutting.start()
            started = time.monotonic()
            with pytest.raises(OperationalError):
                cursor.execute("SELECT pg_sleep(3600)")
            cutting.join()
            assert time.monotonic() - started < 120  # eleven seconds, on a machine that is free
