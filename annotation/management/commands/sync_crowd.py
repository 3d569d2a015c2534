"""`sync_crowd STUDY`: record what the platform reports, and make the waiting calls."""

from __future__ import annotations

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.timezone import now

from annotation.crowds.models import Publication
from annotation.crowds.providers.provider import CrowdError
from annotation.crowds.services import notifications, payment_totals, syncing
from annotation.crowds.services.scheduling import make_calls
from annotation.templatetags.studies import dollars


class Command(BaseCommand):
    help = (
        "Record the submissions and decisions that the platform reports. --payments compares the "
        "payment totals."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--everything", action="store_true", help="ask for every listing")
        parser.add_argument(
            "--payments",
            "--books",  # codespell:ignore books
            action="store_true",
            help="compare the payment totals",
        )

    def handle(self, *, study: str, everything: bool, payments: bool, **_: object) -> None:
        publications = Publication.objects.filter(stage__study__slug=study)
        publications = publications.exclude(status=Publication.Status.DRAFT).select_related(
            "stage__study"
        )
        if not publications:
            raise CommandError(f"No stage of the study '{study}' is published.")
        try:
            for publication in publications:
                self._sync(publication, everything, payments)
        except CrowdError as error:
            raise CommandError(str(error)) from error

    def _sync(self, publication: Publication, everything: bool, payments: bool) -> None:
        events = notifications.process_queue(publication, at=now())
        result = syncing.sync(publication, everything=everything, at=now())
        make_calls(publication.pk)
        self.stdout.write(
            f"{publication}: {result.submitted} submitted, {result.decided} decided, {events} "
            "events."
        )
        if payments:
            comparison = payment_totals.refresh(publication, at=now())
            reported = dollars(comparison.reported.total) if comparison.reported else "not reported"
            verdict = "equal" if comparison.matches else "different"
            self.stdout.write(
                f"Recorded here: {dollars(comparison.recorded.total)}. Reported by the platform: "
                f"{reported}. The totals are {verdict}."
            )
