"""`restore FILE`: a backup into an empty database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.backup import database, keys
from config.backup.programs import BackupError
from config.backup.progress import table_progress


class Command(BaseCommand):
    help = (
        "Restore a file of `manage.py backup` into an empty database, in one transaction: cut off, "
        "it leaves the database empty."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with table_progress(database.tables_in(options["file"]), "Restoring") as report:
                is_current = database.restore(options["file"], report)
        except BackupError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Restored {database.table_count()} tables.")
        if not is_current:
            self.stdout.write("They are of an older version: run `manage.py migrate` now.")
            return
        for name in keys.missing():
            self.stderr.write(
                f"{name} is not the key of this backup: what is sealed in it cannot be read. Set "
                "SECRET_KEY and IDENTITY_KEYS to those of the installation that it is from."
            )
