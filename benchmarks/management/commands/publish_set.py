"""`publish_set NAME`: show a version of a judgment set to everybody, or take that back."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.utils.timezone import now

from benchmarks.management.base import SetCommand, add_set_argument, find_set
from benchmarks.sets.services import publishing
from benchmarks.sharing.public_view import public_view


class Command(SetCommand):
    help = "Publish a version of a judgment set: everybody sees it, without an account."

    def add_arguments(self, parser: CommandParser) -> None:
        add_set_argument(parser)
        parser.add_argument(
            "--unpublish",
            "--take-back",  # the old name
            dest="unpublish",
            action="store_true",
            help="make it private again, visible only to members",
        )

    def run(self, **options: Any) -> None:
        judgment_set = find_set(options["name"])
        if options["unpublish"]:
            publishing.unpublish(judgment_set)
            self.stdout.write(self.style.SUCCESS(f"{judgment_set} is private."))
            return
        seen = public_view(judgment_set)
        publishing.publish(judgment_set, at=now())
        self.stdout.write(
            f"Everybody sees {seen.candidates:,} candidates, {seen.gold:,} gold scores, "
            f"{seen.ratings:,} ratings under pseudonyms, {seen.pairs:,} minimal pairs; hidden stay "
            f"the labels of {seen.hidden_candidates:,} candidates and {seen.hidden_pairs:,} pairs."
        )
        self.stdout.write(self.style.SUCCESS(f"{judgment_set} is public."))
