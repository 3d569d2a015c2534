"""Check whether the site can serve requests."""

from __future__ import annotations

import math
import threading
import time
from functools import cache

from django.db.migrations.loader import MigrationLoader

from config.monitoring import servers
from core.jobs.broker import BROKER_ERRORS, broker

OK = "ok"
UNREACHABLE = "unreachable"
NOT_MIGRATED = "not migrated"


class Readiness:
    """The state of database and broker, asked for at most once in `kept_seconds`.

    Each question opens a session of the database: callers who ask more often, or at the same time,
    get the same answer.
    """

    def __init__(self, kept_seconds: float = 1.0) -> None:
        self.kept_seconds = kept_seconds
        self._lock = threading.Lock()
        self._asked_at, self._state = -math.inf, dict[str, str]()

    def state(self) -> dict[str, str]:
        """Of each server: "ok", or what is wrong."""
        with self._lock:
            if time.monotonic() - self._asked_at >= self.kept_seconds:
                self._state = {"database": _database(), "broker": _broker()}
                self._asked_at = time.monotonic()
            return self._state


READINESS = Readiness()


def _database() -> str:
    try:
        with servers.database() as cursor:
            cursor.execute("SELECT to_regclass('django_migrations') IS NOT NULL")
            if cursor.fetchone() != (True,):
                return NOT_MIGRATED
            cursor.execute("SELECT app, name FROM django_migrations")
            return OK if _latest_migrations() <= set(cursor) else NOT_MIGRATED
    except servers.DATABASE_ERRORS:
        return UNREACHABLE


def _broker() -> str:
    try:
        with broker():
            return OK
    except BROKER_ERRORS:
        return UNREACHABLE


@cache
def _latest_migrations() -> frozenset[tuple[str, str]]:
    """The last migration of each app, as (app, name)."""
    return frozenset(MigrationLoader(None).graph.leaf_nodes())
