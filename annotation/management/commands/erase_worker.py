"""`erase_worker NAME`: forget a worker who asks for it, in every study."""

from __future__ import annotations

import getpass
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.timezone import now

from annotation.privacy.services.erasing import ErasingRefusedError, erase_everywhere
from annotation.rating.models import Worker


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
        workers = self._workers(options)
        try:
            found = erase_everywhere(
                workers, ratings=options["ratings"], unpaid=options["unpaid"], at=now()
            )
        except ErasingRefusedError as error:
            raise CommandError(f"{error} Here: --unpaid.") from error
        for one in found:
            self.stdout.write(f"{one.study}: {one.sentence}")

    def _workers(self, options: dict[str, Any]) -> list[Worker]:
        """One in each study, who are the same person."""
        if options["name"]:
            named = Worker.objects.filter(name=options["name"])
            same = named.exclude(identity_key=None).values("provider", "identity_key").first()
            found = list(Worker.objects.filter(**same) if same else named)
        else:
            given = getpass.getpass("Their id at the provider: ").strip()
            found = list(Worker.objects.known_as(options["provider"], given))
        if not found:
            raise CommandError("There is no such worker.")
        return found
