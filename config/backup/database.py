"""Back up and restore the database."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path

from django.db import connection
from django.db.migrations.loader import MigrationLoader

from config.backup import programs
from config.backup.programs import BackupError, Report

_TABLES = """
    SELECT count(*) FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE relkind IN ('r', 'p') AND nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'
"""


def count_tables() -> int:
    with connection.cursor() as cursor:
        cursor.execute(_TABLES)
        return int(cursor.fetchone()[0])


def count_tables_in(path: Path) -> int:
    """The number of tables with rows in a backup. Raises BackupError for other files."""
    if not path.is_file():
        raise BackupError(f"The file {path} does not exist.")
    contents = programs.run(programs.find("pg_restore"), "--list", str(path), on_database=False)
    return contents.count(" TABLE DATA ")


def backup(path: Path, report: Report) -> None:
    """Write a consistent copy of the database to a new file that only its owner can read.

    The file gets its final name after it was written and read completely. Raises BackupError.
    """
    if path.exists():
        raise BackupError(f"{path} already exists. Give a new file, or a folder.")
    if not count_tables():
        raise BackupError("The database is empty. There is nothing to back up.")
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL, 0o600))
        programs.run(
            programs.find("pg_dump"), "--format=custom", f"--file={unfinished}", report=report
        )
        _check_readable(unfinished)
        with unfinished.open("rb") as written:
            os.fsync(written.fileno())
        unfinished.rename(path)
    except OSError as error:
        raise BackupError(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        unfinished.unlink(missing_ok=True)


def restore(path: Path, report: Report) -> bool:
    """Restore a backup in one transaction. Returns whether it has the latest migrations.

    Raises BackupError; then nothing was changed.
    """
    applied = _migrations(path)
    loader = MigrationLoader(None)
    replaced = {key for one in loader.disk_migrations.values() for key in one.replaces}
    if unknown := sorted(applied - loader.disk_migrations.keys() - replaced):
        raise BackupError(
            f"{path} is from a newer version of Concord, with the migrations "
            f"{', '.join(f'{app}.{name}' for app, name in unknown)}. Install that version first."
        )
    if count_tables():
        raise BackupError(
            "The database is not empty. A backup can only be restored into an empty database. "
            "Create one with createdb and set DATABASE_URL, or set CONCORD_VAR to a new folder."
        )
    programs.run(
        programs.find("pg_restore"),
        "--single-transaction",
        "--no-owner",
        "--no-privileges",
        str(path),
        report=report,
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return applied >= set(loader.graph.leaf_nodes())


def _check_readable(path: Path) -> None:
    programs.run(programs.find("pg_restore"), "--file=/dev/null", str(path), on_database=False)


def _migrations(path: Path) -> set[tuple[str, str]]:
    """The applied migrations in a backup, as (app, name)."""
    options = ("--data-only", "--table=django_migrations", "--file=-")
    with contextlib.suppress(ValueError):
        text = programs.run(programs.find("pg_restore"), *options, str(path), on_database=False)
        lines = text.splitlines()
        start = next(i for i, line in enumerate(lines) if line.startswith("COPY "))
        rows = lines[start + 1 : lines.index("\\.", start)]
        return {(row.split("\t")[1], row.split("\t")[2]) for row in rows}
    raise BackupError(f"{path} is not a backup of Concord.")
