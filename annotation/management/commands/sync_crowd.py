"""`sync_crowd STUDY`: take in what the crowd's platform says, and make the calls that wait."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.timezone import now

from annotation.crowds.models import Publication
from annotation.crowds.providers.provider import CrowdError
from annotation.crowds.services import books, notifications, syncing
from annotation.crowds.services.running import work
from annotation.templatetags.studies import dollars


class Command(BaseCommand):
    help = "Take in what the platform says was submitted and decided; --books compares the money."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--everything", action="store_true", help="ask for every listing")
        parser.add_argument("--books", action="store_true", help="compare both sides of the books")

    def handle(self, *args: Any, **options: Any) -> None:
        found = Publication.objects.filter(stage__study__slug=options["study"])
        found = found.exclude(status=Publication.Status.DRAFT).select_related("stage__study")
        if not found:
            raise CommandError(f"Nothing of the study '{options['study']}' is published.")
        try:
            for publication in found:
                self._sync(publication, options)
        except CrowdError as error:
            raise CommandError(str(error)) from error

    def _sync(self, publication: Publication, options: dict[str, Any]) -> None:
        events = notifications.drain(publication, at=now())
        done = syncing.sync(publication, everything=options["everything"], at=now())
        work(publication.pk)
        self.stdout.write(
            f"{publication}: {done.submitted} submitted, {done.decided} decided, {events} events."
        )
        if options["books"]:
            both = books.audit(publication, at=now())
            theirs = dollars(both.theirs.total) if both.theirs else "not said"
            state = "balance" if both.balance else "do not balance"
            self.stdout.write(f"Here {dollars(both.ours.total)}, there {theirs}: they {state}.")
