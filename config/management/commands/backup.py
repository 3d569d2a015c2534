"""`backup FILE_OR_FOLDER`: write the whole database to one file."""

from __future__ import annotations

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.timezone import now

from config.backup import database
from config.backup.keys import write as write_keys
from config.backup.programs import BackupError
from config.backup.progress import table_progress


class Command(BaseCommand):
    help = (
        "Write a consistent copy of the database to a file in pg_dump's custom format. The site "
        "can keep running. The file does not contain the keys."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "path", type=Path, metavar="FILE_OR_FOLDER", help="a new file, or a folder for it"
        )
        parser.add_argument(
            "--keys",
            type=Path,
            metavar="FILE",
            help="also write SECRET_KEY and IDENTITY_KEYS to this new file; keep it secret",
        )

    def handle(self, *, path: Path, keys: Path | None, **_: object) -> None:
        if path.is_dir():
            path /= f"concord-{now():%Y%m%dT%H%M%SZ}.backup"
        try:
            with table_progress(database.count_tables(), "Backing up") as report:
                database.backup(path, report)
            self.stdout.write(f"{path}: {path.stat().st_size:,} bytes.")
            if keys:
                write_keys(keys)
                self.stdout.write(f"{keys}: the keys. Store them apart from the backup.")
            else:
                self.stdout.write(
                    "The backup does not contain the keys. Without SECRET_KEY and IDENTITY_KEYS, "
                    "identities in a restored database cannot be decrypted. Store the keys too "
                    "(--keys FILE)."
                )
        except BackupError as error:
            raise CommandError(str(error)) from error
