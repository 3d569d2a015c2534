"""The state of the site: servers, queues, storage, and the settings in effect."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from functools import cache

from celery import current_app
from django.conf import settings
from psycopg import sql

from config import settings_reference
from config.monitoring import readiness, servers
from config.monitoring.metrics import count_messages
from core.jobs.broker import BROKER_ERRORS, broker

MAX_TABLES = 10
WORKERS_ANSWER_SECONDS = 0.5
# Of type text, but without secrets. Others may contain passwords.
SHOWN_TEXTS = ("ALLOWED_MODELS", "OUTGOING_ALLOWED_HOSTS", "ALLOWED_HOSTS", "SCORING_DEVICE")
SHOWN_KINDS = ("whole number", "number", "true or false")


@dataclass(frozen=True)
class Storage:
    """Bytes of the database, of its largest tables with their indexes, and of the disk."""

    database: int
    tables: list[tuple[str, int]]
    disk_used: int
    disk_total: int

    @property
    def disk_percent(self) -> int:
        return round(100 * self.disk_used / self.disk_total)


@dataclass(frozen=True)
class Setting:
    """A setting in effect, for people."""

    name: str
    value: str
    help: str


def server_states() -> dict[str, str]:
    """By server, "ok" or what is wrong."""
    return readiness.READINESS.state()


def queues() -> list[tuple[str, int]] | None:
    """Messages that wait, by queue; None if the broker does not answer."""
    try:
        with broker() as connection:
            return [
                (queue.name, count_messages(connection, queue.name))
                for queue in settings.CELERY_TASK_QUEUES
            ]
    except BROKER_ERRORS:
        return None


def workers() -> list[str] | None:
    """The names of the workers that answer at once; None if the broker does not answer."""
    try:
        with broker() as connection:
            control = current_app.control
            answers = control.ping(timeout=WORKERS_ANSWER_SECONDS, connection=connection)
            return sorted(name for answer in answers or [] for name in answer)
    except BROKER_ERRORS:
        return None


def storage() -> Storage | None:
    """None if the database does not answer in time."""
    sizes = sql.SQL(
        "SELECT relname, pg_total_relation_size(oid) FROM pg_class"
        " WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        " ORDER BY 2 DESC LIMIT {}"
    ).format(MAX_TABLES)
    try:
        with servers.database() as cursor:
            cursor.execute("SELECT pg_database_size(current_database())")
            database = next(cursor)[0]
            tables = cursor.execute(sizes).fetchall()
    except servers.DATABASE_ERRORS:
        return None
    disk = shutil.disk_usage(settings.VAR_DIR)
    return Storage(database, tables, disk.used, disk.total)


def shown_settings() -> list[Setting]:
    """The settings that contain no secrets, in the order of the documentation."""
    return [
        Setting(one.name, _written(getattr(settings, one.name)), one.help)
        for one in _documented()
        if hasattr(settings, one.name)
    ]


def _written(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


@cache
def _documented() -> list[settings_reference.Variable]:
    return [
        one
        for one in settings_reference.readings()
        if one.help and (one.kind in SHOWN_KINDS or one.name in SHOWN_TEXTS)
    ]
