"""The embedded PostgreSQL of the tests, without waiting for the disk.

What it has written survives the end of any process, but not of the machine. Each commit of a test
with real transactions would wait for the disk, and other processes of tests with it.
"""

from __future__ import annotations

import psycopg

SETTINGS = {"fsync": "off", "full_page_writes": "off"}


def allow(database_url: str) -> None:
    """Store the settings in the server's data folder, which is of tests alone, and apply them."""
    with psycopg.connect(database_url, autocommit=True) as connection:
        for name, value in SETTINGS.items():
            connection.execute(f"ALTER SYSTEM SET {name} = {value}")
        connection.execute("SELECT pg_reload_conf()")
