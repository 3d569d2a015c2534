"""Additional databases for tests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

import psycopg
from psycopg import sql


@contextmanager
def new_database(url: str, name: str) -> Iterator[str]:
    """The URL of an empty database of this name beside that of `url`; dropped afterwards."""
    drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
    with psycopg.connect(url, autocommit=True) as own:
        own.execute(drop)
        own.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        yield urlunsplit(urlsplit(url)._replace(path=f"/{name}"))
        own.execute(drop)
