"""`erase_worker NAME`: forget a worker who asks for it, in every study."""

from __future__ import annotations

import getpass
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.timezone import now

from annotation.models import Worker
from annotation.services.erasing import ErasingRefusedError, erase_everywhere


class Command(BaseCommand):
    help = (
        "Forget a worker in every study: who they are, and what they wrote. Named by their name "
        "here, or by --provider, which asks for their id there (and so keeps it out of the "
        "shell's history)."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        named = parser.add_mutually_exclusive_group(required=True)
        named.add_argument("name", nargs="?", help="as in a study, such as w-1f3a5b7c9d0e")
        named.add_argument("--provider", help="such as mturk, prolific, link or local")
        parser.add_argument("--ratings", action="store_true", help="remove their ratings too")
        parser.add_argument(
            "--unpaid", action="store_true", help="even if work of theirs is not decided or paid"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        worker = self._worker(options)
        try:
            found = erase_everywhere(
                worker, ratings=options["ratings"], unpaid=options["unpaid"], at=now()
            )
        except ErasingRefusedError as error:
            raise CommandError(f"{error} Here: --unpaid.") from error
        for one in found:
            self.stdout.write(f"{one.study}: {one.sentence}")
        if not found:
            self.stdout.write("They took part in no study; who they are is removed.")

    def _worker(self, options: dict[str, Any]) -> Worker:
        if options["name"]:
            found = Worker.objects.filter(name=options["name"]).first()
        else:
            given = getpass.getpass("Their id at the provider: ").strip()
            found = Worker.objects.known_as(options["provider"], given).first()
        if found is None:
            raise CommandError("There is no such worker.")
        return found
