"""Check whether the site can serve requests."""

from __future__ import annotations

from functools import cache

from django.db.migrations.loader import MigrationLoader

from config.monitoring import servers

OK = "ok"
UNREACHABLE = "unreachable"
NOT_MIGRATED = "not migrated"


def state() -> dict[str, str]:
    """The state of database and broker: "ok", or what is wrong."""
    return {"database": _database(), "broker": _broker()}


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
        with servers.broker():
            return OK
    except servers.BROKER_ERRORS:
        return UNREACHABLE


@cache
def _latest_migrations() -> frozenset[tuple[str, str]]:
    """The last migration of each app, as (app, name)."""
    return frozenset(MigrationLoader(None).graph.leaf_nodes())
