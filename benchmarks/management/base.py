"""Base class and helpers of the commands on judgment sets."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.timezone import now
from rich.console import Console

import scorers
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import criteria, publishing
from benchmarks.sets.viewers import OPERATOR
from concord.formats import FormatError
from concord.reliability import RatingsError
from core.refusals import RefusedError

EXPECTED_ERRORS = (
    FormatError,
    JudgmentSet.DoesNotExist,
    RatingsError,
    RefusedError,
    scorers.MetricError,
    scorers.ModelError,
)


class SetCommand(BaseCommand):
    """A command about judgment sets. Subclasses implement `run`; expected errors end it."""

    # Its parameters are the command's options.
    run: Callable[..., None]

    def handle(self, *args: object, **options: object) -> None:
        if settings.EMBEDDED:  # no other site uses the embedded database, so it is migrated here
            call_command("migrate", verbosity=0, interactive=False)
        with as_command_errors():
            self.run(**options)

    def publish(self, judgment_set: JudgmentSet, is_wanted: bool) -> None:
        """Publish a new version if `--publish` is given; otherwise print the command for it."""
        if is_wanted:
            publishing.publish(judgment_set, at=now())
            self.stdout.write(f"{judgment_set} is public.")
        else:
            self.stdout.write(
                "The set is private: only its members and administrators have access. To publish "
                f"it, run: manage.py publish_set {judgment_set}"
            )

    def account(self, name: str | None) -> User | None:
        """The account with this name, if a name is given. Raises CommandError if there is none."""
        user = User.objects.filter(username=name).first() if name else None
        if name and user is None:
            raise CommandError(f"There is no account '{name}'.")
        return user

    @property
    def console(self) -> Console:
        """The console for progress messages. Results are written to stdout."""
        return Console(file=sys.stderr, highlight=False)


@contextmanager
def as_command_errors() -> Iterator[None]:
    """Turn expected errors and errors of files into a CommandError."""
    try:
        yield
    except EXPECTED_ERRORS as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(f"{error.filename or ''}: {error.strerror or error}") from error


def add_set_argument(parser: CommandParser) -> None:
    parser.add_argument("name", metavar="NAME", help="a judgment set: NAME, or NAME@VERSION")


def add_publish_argument(parser: CommandParser) -> None:
    parser.add_argument("--publish", action="store_true", help="make the version public")


def add_criterion_argument(parser: CommandParser) -> None:
    parser.add_argument(
        "--criterion", default="", help="of a set with several criteria; by default the score"
    )


def find_set(reference: str) -> JudgmentSet:
    """The set with the reference NAME or NAME@VERSION, with hidden labels.

    Raises JudgmentSet.DoesNotExist.
    """
    judgment_set = JudgmentSet.objects.named(reference)
    judgment_set.viewer = OPERATOR
    return judgment_set


def find_set_on_criterion(reference: str, criterion: str) -> JudgmentSet:
    """The set with this reference, on this criterion. Raises RefusedError besides."""
    judgment_set = find_set(reference)
    criteria.choose(judgment_set, criterion)
    return judgment_set
