"""`backup FILE_OR_FOLDER`: the whole database in one file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.timezone import now

from config.backup import database, keys
from config.backup.programs import BackupError
from config.backup.progress import table_progress


class Command(BaseCommand):
    help = (
        "Write the database, as it is at one moment, to a file in pg_dump's custom format. The "
        "site may go on meanwhile. The keys are not in the file."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "place", type=Path, metavar="FILE_OR_FOLDER", help="a new file, or a folder for one"
        )
        parser.add_argument(
            "--keys",
            type=Path,
            metavar="FILE",
            help="also write SECRET_KEY and IDENTITY_KEYS to this new file, for your eyes only",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        place: Path = options["place"]
        path = place / f"concord-{now():%Y%m%dT%H%M%SZ}.backup" if place.is_dir() else place
        try:
            with table_progress(database.table_count(), "Backing up") as report:
                database.backup(path, report)
            self.stdout.write(f"{path}: {path.stat().st_size:,} bytes.")
            if options["keys"]:
                keys.write(options["keys"])
                self.stdout.write(f"{options['keys']}: the keys. Keep them apart from the backup.")
            else:
                self.stdout.write(
                    "The keys are not in it. Without SECRET_KEY and IDENTITY_KEYS a restored "
                    "database cannot say who its raters are: keep them elsewhere (--keys FILE)."
                )
        except BackupError as error:
            raise CommandError(str(error)) from error
