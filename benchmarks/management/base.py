"""What the commands over judgment sets share: names to sets, errors to one clear line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.timezone import now
from rich.console import Console

import scorers
from benchmarks.exports.services.exports import ExportRefusedError
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import publishing
from benchmarks.sets.services.importing import ImportRefusedError
from benchmarks.sets.viewers import OPERATOR
from benchmarks.submissions.services import SubmissionRefusedError
from concord.formats import FormatError

REFUSALS = (
    ExportRefusedError,
    FormatError,
    ImportRefusedError,
    JudgmentSet.DoesNotExist,
    SubmissionRefusedError,
    scorers.MetricError,
    scorers.ModelError,
)


class SetCommand(BaseCommand):
    """A command that speaks of judgment sets. Subclasses write `run`; refusals become one error."""

    def run(self, **options: Any) -> None:
        raise NotImplementedError

    def handle(self, *args: Any, **options: Any) -> None:
        if settings.EMBEDDED:  # its database is nobody else's: bring it up to date unasked
            call_command("migrate", verbosity=0, interactive=False)
        with refusals_as_errors():
            self.run(**options)

    def publish(self, judgment_set: JudgmentSet, options: dict[str, Any]) -> None:
        """Publish a version that was just made, if that is asked for; else say how."""
        if options["publish"]:
            publishing.publish(judgment_set, at=now())
            self.stdout.write(f"{judgment_set} is public.")
        else:
            self.stdout.write(
                "It is private: its members and administrators alone see it. To show it to "
                f"everybody: manage.py publish_set {judgment_set}"
            )

    def account(self, name: str | None) -> User | None:
        """The account of this name; CommandError where there is none."""
        found = User.objects.filter(username=name).first() if name else None
        if name and found is None:
            raise CommandError(f"There is no account '{name}'.")
        return found

    @property
    def console(self) -> Console:
        """Where people are told how it goes; stdout is kept for results."""
        return Console(file=sys.stderr, highlight=False)


@contextmanager
def refusals_as_errors() -> Iterator[None]:
    try:
        yield
    except REFUSALS as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(f"{error.filename or ''}: {error.strerror or error}") from error


def add_set_argument(parser: CommandParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a judgment set: NAME, or NAME@VERSION")


def add_publishing(parser: CommandParser) -> None:
    parser.add_argument("--publish", action="store_true", help="show the version to everybody")


def find_set(reference: str) -> JudgmentSet:
    """The set called NAME or NAME@VERSION, with the labels that its pages hide from others: who
    runs a command can read the database. Raises JudgmentSet.DoesNotExist."""
    found = JudgmentSet.objects.named(reference)
    found.viewer = OPERATOR
    return found


def comma_separated(value: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in value.split(",") if part.strip())
