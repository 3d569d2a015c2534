"""Making a backup of the database, and restoring one."""

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


def table_count() -> int:
    with connection.cursor() as cursor:
        cursor.execute(_TABLES)
        return int(cursor.fetchone()[0])


def tables_in(path: Path) -> int:
    """The number of tables whose rows a backup holds. Raises BackupError for another file."""
    if not path.is_file():
        raise BackupError(f"There is no file {path}.")
    listed = programs.run(programs.find("pg_restore"), "--list", str(path), on_database=False)
    return listed.count(" TABLE DATA ")


def backup(path: Path, report: Report) -> None:
    """Write the database, as it is at one moment, to a new file that only its owner can read.

    The file gets its name when it is complete and was read through once. Raises BackupError.
    """
    if path.exists():
        raise BackupError(f"{path} exists. Name a new file, or a folder.")
    if not table_count():
        raise BackupError("The database is empty: there is nothing to back up.")
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL, 0o600))
        programs.run(
            programs.find("pg_dump"), "--format=custom", f"--file={unfinished}", report=report
        )
        _read_through(unfinished)
        with unfinished.open("rb") as written:
            os.fsync(written.fileno())
        unfinished.rename(path)
    except OSError as error:
        raise BackupError(f"{path} cannot be written: {error.strerror}.") from error
    finally:
        unfinished.unlink(missing_ok=True)


def restore(path: Path, report: Report) -> bool:
    """Restore a backup in one transaction. Returns whether it has the latest migrations.

    Raises BackupError, and then nothing was changed.
    """
    applied = _migrations(path)
    loader = MigrationLoader(None)
    replaced = {key for one in loader.disk_migrations.values() for key in one.replaces}
    if unknown := sorted(applied - loader.disk_migrations.keys() - replaced):
        raise BackupError(
            f"{path} is of a newer version of Concord, which has the migrations "
            f"{', '.join(f'{app}.{name}' for app, name in unknown)}. Install that version first."
        )
    if table_count():
        raise BackupError(
            "The database is not empty. A backup is restored into an empty one: make one with "
            "createdb and name it in DATABASE_URL, or set CONCORD_VAR to a new folder."
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


def _read_through(path: Path) -> None:
    programs.run(programs.find("pg_restore"), "--file=/dev/null", str(path), on_database=False)


def _migrations(path: Path) -> set[tuple[str, str]]:
    """The migrations, as (app, name), that a backup's database had."""
    options = ("--data-only", "--table=django_migrations", "--file=-")
    with contextlib.suppress(ValueError):
        text = programs.run(programs.find("pg_restore"), *options, str(path), on_database=False)
        lines = text.splitlines()
        start = next(at for at, line in enumerate(lines) if line.startswith("COPY "))
        rows = lines[start + 1 : lines.index("\\.", start)]
        return {(row.split("\t")[1], row.split("\t")[2]) for row in rows}
    raise BackupError(f"{path} is no backup of Concord.")
