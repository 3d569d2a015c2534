"""A backup is restored completely into an empty database."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from psycopg import sql

from annotation.identities.sealing import Sealed
from annotation.rating.models import Worker
from config.backup import programs
from core.audit.models import AuditEvent
from tests.access.scene import make_everything
from tests.config import databases
from tests.waiting import TIMEOUT_SECONDS, wait_for

NAME = "concord_restored"
SLOW_INDEXES = """
    CREATE FUNCTION wait_a_little() RETURNS event_trigger LANGUAGE plpgsql
        AS 'BEGIN PERFORM pg_sleep(2); END';
    CREATE EVENT TRIGGER slow_indexes ON ddl_command_end WHEN TAG IN ('CREATE INDEX')
        EXECUTE FUNCTION wait_a_little();
"""


@pytest.fixture
def source(database_url: str, tmp_path: Path) -> str:
    """The URL of a database with studies, ratings, sets, runs and audit events."""
    make_everything(tmp_path)
    assert AuditEvent.objects.count() > 5
    return database_url


@pytest.fixture
def empty(database_url: str) -> Iterator[str]:
    """The URL of an empty database; dropped afterwards."""
    with databases.new_database(database_url, NAME) as url:
        yield url


@contextmanager
def on_the_other_database() -> Iterator[None]:
    """Make the other database the site's within the block."""
    before = connection.settings_dict["NAME"]
    connection.close()
    connection.settings_dict["NAME"] = NAME
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict["NAME"] = before


def restore(path: Path) -> None:
    with on_the_other_database():
        call_command("restore", str(path))


def start(url: str, *arguments: object) -> subprocess.Popen[bytes]:
    environment = {"DATABASE_URL": url, "BROKER_URL": settings.CELERY_BROKER_URL}
    return subprocess.Popen(
        [sys.executable, "manage.py", *map(str, arguments)],
        cwd=settings.BASE_DIR,
        env=os.environ | environment | {"SECRET_KEY": settings.SECRET_KEY},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


def contents(url: str) -> dict[str, list[Any]]:
    """All rows of all tables as text, the states of sequences, and the tables' definitions."""
    definitions = {
        "columns": "SELECT table_name, column_name, data_type, column_default, is_nullable "
        "FROM information_schema.columns WHERE table_schema = 'public'",
        # By their names: PostgreSQL prints an expression that it read back with other casts.
        "indexes": "SELECT tablename, indexname FROM pg_indexes WHERE schemaname = 'public'",
        "constraints": "SELECT conrelid::regclass::text, conname, contype::text "
        "FROM pg_constraint WHERE connamespace = 'public'::regnamespace",
        "triggers": "SELECT pg_get_triggerdef(oid), tgenabled::text FROM pg_trigger "
        "WHERE NOT tgisinternal",
        "sequences": "SELECT sequencename, last_value, start_value FROM pg_sequences",
    }
    with psycopg.connect(url) as own:
        tables = own.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        for (name,) in tables.fetchall():
            rows = sql.SQL("SELECT t::text FROM {} t").format(sql.Identifier(name))
            definitions[f"table {name}"] = rows.as_string(own)
        return {key: sorted(own.execute(query)) for key, query in definitions.items()}


def test_a_restored_database_is_equal_row_by_row(
    source: str, empty: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    identities = {
        one.pk: one.identity.open() for one in Worker.objects.filter(identity__isnull=False)
    }
    assert identities
    before = contents(source)
    filled = [key for key, rows in before.items() if key.startswith("table ") and rows]
    for part in ("rating", "judgmentset", "metricrun", "study", "auditevent", "delivery"):
        assert any(part in key for key in filled), part
    path = tmp_path / "site.backup"
    call_command("backup", str(path))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    restore(path)
    assert contents(empty) == before
    with on_the_other_database():
        restored = Worker.objects.filter(identity__isnull=False)
        assert {one.pk: one.identity.open() for one in restored} == identities
    shown = capfd.readouterr()
    assert "Backing up" in shown.out and "Restoring" in shown.out
    assert "cannot be read" not in shown.err


def test_a_database_that_is_not_empty_is_not_touched(
    source: str, empty: str, tmp_path: Path
) -> None:
    call_command("backup", str(tmp_path))
    (path,) = tmp_path.glob("concord-*.backup")
    with psycopg.connect(empty) as own:
        own.execute("CREATE TABLE somebody_elses (name text)")
    with pytest.raises(CommandError, match="not empty"):
        restore(path)
    assert contents(empty)["table somebody_elses"] == []
    assert len([key for key in contents(empty) if key.startswith("table ")]) == 1


def test_a_backup_of_a_newer_version_is_refused(
    database_url: str, empty: str, tmp_path: Path
) -> None:
    path = tmp_path / "newer"
    with psycopg.connect(database_url, autocommit=True) as own:
        own.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('benchmarks', '9_x', now())"
        )
        try:
            call_command("backup", str(path))
        finally:
            own.execute("DELETE FROM django_migrations WHERE name = '9_x'")
    with pytest.raises(CommandError, match=r"newer version.*benchmarks\.9_x"):
        restore(path)
    assert not any(key.startswith("table ") for key in contents(empty))


def test_a_backup_of_an_older_version_says_to_migrate(
    database_url: str, empty: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "older"
    with psycopg.connect(database_url, autocommit=True) as own:
        last = own.execute("SELECT * FROM django_migrations WHERE app = 'webhooks'").fetchall()
        own.execute("DELETE FROM django_migrations WHERE app = 'webhooks'")
        try:
            call_command("backup", str(path))
        finally:
            own.cursor().executemany("INSERT INTO django_migrations VALUES (%s, %s, %s, %s)", last)
    restore(path)
    assert "Run `manage.py migrate` now" in capfd.readouterr().out


def test_an_invalid_or_truncated_backup_changes_nothing(
    source: str, empty: str, tmp_path: Path
) -> None:
    path = tmp_path / "whole"
    call_command("backup", str(path))
    whole = path.read_bytes()
    for name, content in (("text", b"not a backup"), ("cut", whole[: len(whole) * 2 // 3])):
        bad = tmp_path / name
        bad.write_bytes(content)
        with pytest.raises(CommandError):
            restore(bad)
        assert not any(key.startswith("table ") for key in contents(empty))
    with pytest.raises(CommandError, match="does not exist"):
        restore(tmp_path / "none")


def test_a_file_that_exists_is_not_written_over(db: None, tmp_path: Path) -> None:
    path = tmp_path / "kept"
    path.write_text("mine")
    with pytest.raises(CommandError, match="exists"):
        call_command("backup", str(path))
    assert path.read_text() == "mine"
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("backup", str(tmp_path / "nowhere" / "file"))


def test_the_keys_are_in_their_own_file_alone(
    source: str, empty: str, tmp_path: Path, settings: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    settings.IDENTITY_KEYS = ["a new key of thirty-two characters", *settings.IDENTITY_KEYS]
    settings.SECRET_KEY_FALLBACKS = ["it's an older key"]
    Worker.objects.update(identity=Sealed.of("somebody"))
    path, own = tmp_path / "backup", tmp_path / "keys"
    call_command("backup", str(path), "--keys", str(own))
    assert stat.S_IMODE(own.stat().st_mode) == 0o600
    script = f'set -a; . {own}; printf \'%s\\n\' "$SECRET_KEY" "$SECRET_KEY_FALLBACKS" ' + (
        '"$IDENTITY_KEYS"'
    )
    read = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True).stdout
    keys = [settings.SECRET_KEY, "it's an older key", ",".join(settings.IDENTITY_KEYS)]
    assert read.splitlines() == keys
    plain = programs.run(programs.find("pg_restore"), "--file=-", str(path), on_database=False)
    assert "annotation_worker" in plain
    for key in (settings.SECRET_KEY, *settings.IDENTITY_KEYS):
        assert key not in plain
    with pytest.raises(CommandError, match="exists"):
        call_command("backup", str(tmp_path / "second"), "--keys", str(own))
    settings.IDENTITY_KEYS = ["another key of more than thirty-two characters"]
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another", []
    restore(path)
    errors = capfd.readouterr().err
    assert "IDENTITY_KEYS is not the key" in errors and "SECRET_KEY is not the key" in errors


def test_a_killed_backup_leaves_no_file_under_its_name(source: str, tmp_path: Path) -> None:
    folder = tmp_path / "backups"
    folder.mkdir()
    dumping = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pg_dump'"
    with psycopg.connect(source) as lock, psycopg.connect(source, autocommit=True) as watch:
        lock.execute("LOCK TABLE annotation_rating")

        def dumps() -> int:
            row = watch.execute(dumping).fetchone()
            return row[0] if row else 0

        for number in (signal.SIGTERM, signal.SIGKILL):
            process = start(source, "backup", folder / "site.backup")
            wait_for(dumps)
            process.send_signal(number)
            process.wait(TIMEOUT_SECONDS)
            assert not (folder / "site.backup").exists()
        lock.rollback()
        wait_for(lambda: not dumps())
    assert not (folder / "site.backup").exists()


def test_a_killed_restore_leaves_the_database_empty(
    source: str, empty: str, tmp_path: Path
) -> None:
    path = tmp_path / "site.backup"
    call_command("backup", str(path))
    at_indexes = "SELECT count(*) FROM pg_stat_activity WHERE datname = %s AND {}"
    with (
        psycopg.connect(empty, autocommit=True) as prepare,
        psycopg.connect(source, autocommit=True) as watch,
    ):
        prepare.execute(SLOW_INDEXES)
        prepare.close()

        def connections(condition: str) -> int:
            row = watch.execute(at_indexes.format(condition), [NAME]).fetchone()
            return row[0] if row else 0

        process = start(empty, "restore", path)
        wait_for(lambda: connections("wait_event = 'PgSleep'"))
        process.kill()
        process.wait(TIMEOUT_SECONDS)
        wait_for(lambda: not connections("application_name = 'pg_restore'"))
    assert not any(key.startswith("table ") for key in contents(empty))
    with psycopg.connect(empty) as own:
        own.execute("DROP EVENT TRIGGER slow_indexes")
        own.execute("DROP FUNCTION wait_a_little")
    restore(path)
    assert contents(empty) == contents(source)


def test_the_password_is_not_on_the_command_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(connection.settings_dict, "PASSWORD", "very secret")
    conninfo, password = programs._connection()
    assert "secret" not in conninfo and password == "very secret"
