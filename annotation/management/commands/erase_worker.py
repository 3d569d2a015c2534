"""`erase_worker NAME`: erase a worker from every study on request."""

from __future__ import annotations

import getpass

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.timezone import now

from annotation.privacy.services.erasing import Erasure, erase_everywhere
from annotation.rating.models import Worker
from concord.bounds import add_options
from core.refusals import RefusedError


class Command(BaseCommand):
    help = (
        "Erase a worker from every study: identity and texts. Pass the worker's name in a study, "
        "or --provider, which asks for the id there and keeps it out of the shell's history."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        group = parser.add_mutually_exclusive_group(required=True)
        group.add_argument("name", nargs="?", help="name in a study, such as w-1f3a5b7c9d0e")
        group.add_argument("--provider", help="provider, such as mturk, prolific, link or local")
        add_options(parser, Erasure, "ratings", "unpaid")

    def handle(
        self, *, name: str | None, provider: str, ratings: bool, unpaid: bool, **_: object
    ) -> None:
        workers = _workers(name, provider)
        try:
            results = erase_everywhere(workers, ratings=ratings, unpaid=unpaid, at=now())
        except RefusedError as error:
            raise CommandError(f"{error} To do so, add --unpaid.") from error
        for one in results:
            self.stdout.write(f"{one.study}: {one.sentence}")


def _workers(name: str | None, provider: str) -> list[Worker]:
    """The rows of the same person, one per study."""
    if name:
        by_name = Worker.objects.filter(name=name)
        identity = by_name.exclude(identity_key=None).values("provider", "identity_key").first()
        workers = list(Worker.objects.filter(**identity) if identity else by_name)
    else:
        provider_id = getpass.getpass("Worker id at the provider: ").strip()
        workers = list(Worker.objects.known_as(provider, provider_id))
    if not workers:
        raise CommandError("There is no such worker.")
    return workers
