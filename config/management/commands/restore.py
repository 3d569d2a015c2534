"""`restore FILE`: restore a backup into an empty database."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser

from config.backup import database, keys
from config.backup.programs import BackupError
from config.backup.progress import table_progress


class Command(BaseCommand):
    help = (
        "Restore a file of `manage.py backup` into an empty database. It runs in one transaction: "
        "if it is interrupted, the database stays empty."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", type=Path)

    def handle(self, *, file: Path, **_: object) -> None:
        try:
            with table_progress(database.count_tables_in(file), "Restoring") as report:
                is_current = database.restore(file, report)
        except BackupError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Restored {database.count_tables()} tables.")
        if not is_current:
            self.stdout.write("The backup is of an older version. Run `manage.py migrate` now.")
            return
        for name in keys.missing_keys():
            self.stderr.write(
                f"{name} is not the key of this backup, so its encrypted data cannot be read. Set "
                "SECRET_KEY and IDENTITY_KEYS to the keys of the original installation."
            )
