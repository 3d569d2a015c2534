"""`publish_set NAME`: make a version of a judgment set public or private."""

from __future__ import annotations

from django.core.management.base import CommandParser
from django.utils.timezone import now

from benchmarks.management.base import SetCommand, add_set_argument, find_set
from benchmarks.sets.services import publishing
from benchmarks.sharing.public_view import public_view
from concord.sentences import counted


class Command(SetCommand):
    help = "Publish a version of a judgment set: everybody can see it without an account."

    def add_arguments(self, parser: CommandParser) -> None:
        add_set_argument(parser)
        parser.add_argument(
            "--unpublish",
            action="store_true",
            help="make it private again, visible only to members",
        )

    def run(self, *, name: str, unpublish: bool, **_: object) -> None:
        judgment_set = find_set(name)
        if unpublish:
            publishing.unpublish(judgment_set)
            self.stdout.write(self.style.SUCCESS(f"{judgment_set} is private."))
            return
        view = public_view(judgment_set)
        publishing.publish(judgment_set, at=now())
        self.stdout.write(
            f"Everybody sees {counted(view.candidates, 'candidate')}, {view.gold:,} gold scores, "
            f"{counted(view.ratings, 'rating')} with pseudonyms and {view.pairs:,} minimal "
            "pairs. The "
            f"labels of {counted(view.hidden_candidates, 'candidate')} and "
            f"{counted(view.hidden_pairs, 'pair')} stay "
            "hidden."
        )
        self.stdout.write(self.style.SUCCESS(f"{judgment_set} is public."))
