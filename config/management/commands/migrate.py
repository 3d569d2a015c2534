"""`migrate`, which says what to do with a database that is too old for it."""

from __future__ import annotations

from django.core.management import CommandError
from django.core.management.commands.migrate import Command as DjangoCommand
from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

# The last commit that has the migrations that each app's first one replaces.
LAST_COMMIT = "be12ffb5"


class Command(DjangoCommand):
    def handle(self, *, database: str, **options: object) -> None:
        _check_age(database)
        super().handle(database=database, **options)


def _check_age(database: str) -> None:
    """Raise CommandError for a database with some, but not all, of the replaced migrations."""
    applied = MigrationRecorder(connections[database]).applied_migrations()
    disk = MigrationLoader(None).disk_migrations
    for key, migration in disk.items():
        done = [name for name in migration.replaces if name in applied]
        if done and len(done) < len(migration.replaces) and key not in applied:
            raise CommandError(
                f"This database is older than this version can update: {key[0]} is at "
                f"{done[-1][1]} and lacks {len(migration.replaces) - len(done)} migrations. Make a "
                f"backup, run `git checkout {LAST_COMMIT}`, `make setup` and `manage.py migrate`, "
                "then return to this version and migrate again."
            )
