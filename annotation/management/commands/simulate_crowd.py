"""`simulate_crowd`: simulated workers rate a study."""

from __future__ import annotations

from typing import TypedDict, Unpack

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.timezone import now
from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn

from annotation.lifecycle.services import copying
from annotation.rating.models import Assignment
from annotation.rating.simulation.crowd_run import CrowdRun, RunOutcome
from annotation.stages.services import opening
from annotation.studies.models import Stage, Study
from concord.arguments import number
from concord.sentences import counted
from concord.simulation import Crowd, SimulationError
from core.refusals import RefusedError


class SimulationArguments(TypedDict):
    """The options of the command."""

    study: str
    copy: str | None
    workers: int
    ability: float
    bias: float
    noise: float
    spam: float
    seed: int
    limit: int | None


class Command(BaseCommand):
    help = (
        "Let simulated workers rate a study. Their ratings are marked as simulated. A study that "
        "people rate is refused: --copy simulates in a copy of it. Ctrl-C stops; run the same "
        "command again to resume."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument(
            "--copy",
            nargs="?",
            const="",
            metavar="NAME",
            help="copy protocol and candidates to a new study, by default STUDY-simulated, open "
            "its stages, and simulate there",
        )
        parser.add_argument("--workers", type=int, default=20)
        parser.add_argument(
            "--ability", type=number, default=0.8, help="share of ratings that are not guessed"
        )
        parser.add_argument("--bias", type=number, default=0.0, help="mean shift in scale points")
        parser.add_argument("--noise", type=number, default=0.6, help="SD in scale points")
        parser.add_argument("--spam", type=number, default=0.0, help="share of spammers")
        parser.add_argument("--seed", type=int, default=7)
        parser.add_argument(
            "--limit", type=int, default=None, help="maximum number of tasks, tests included"
        )

    def handle(self, *args: object, **options: Unpack[SimulationArguments]) -> None:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study '{options['study']}'.")
        if options["workers"] < 1:
            raise CommandError(f"--workers must be at least 1, not {options['workers']}.")
        crowd = self._crowd(study, options)
        if options["copy"] is not None:
            study = self._copy(study, options["copy"])
        check_no_people(study)
        if not study.stages.filter(status=Stage.Status.OPEN).exists():
            raise CommandError("No stage of the study is open. Open one on the Stages page first.")
        run = CrowdRun(study, crowd, options["workers"], options["seed"])
        columns = (TextColumn("{task.completed} tasks, {task.fields[ratings]} ratings"),)
        with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as progress:
            task = progress.add_task("", total=None, ratings=0)

            def show(outcome: RunOutcome) -> None:
                progress.update(task, completed=outcome.assignments, ratings=outcome.ratings)

            outcome = run.run(options["limit"], show)
        turns = outcome.turns
        self.stdout.write(
            f"{counted(outcome.assignments, 'task')} submitted, "
            f"{counted(outcome.ratings, 'rating')}, {outcome.seconds:.1f} seconds."
        )
        if turns["passed"] or turns["failed"]:
            self.stdout.write(f"Tests: {turns['passed']} passed, {turns['failed']} failed.")

    def _copy(self, study: Study, slug: str) -> Study:
        """A copy of the study with its stages open."""
        slug = slug or copying.free_slug(study, "simulated")
        try:
            copy = copying.copy_study(
                study, slug, f"{study.title} (simulated)"[:200], owner=study.owner, at=now()
            )
            for stage in copy.stages.exclude(kind=Stage.Kind.TRIAL):
                opening.open_stage(stage, by=study.owner, at=now())
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        except RefusedError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(f"Copied {study.slug} to {copy.slug} and opened its stages.")
        return copy

    def _crowd(self, study: Study, options: SimulationArguments) -> Crowd:
        protocol = study.current.protocol
        # Where the values are names, a rater is right or guesses.
        bias, noise = (0.0, 0.0) if protocol.compares else (options["bias"], options["noise"])
        try:
            return Crowd(
                ability=options["ability"],
                bias=bias,
                noise=noise,
                spam=options["spam"],
                low=protocol.low,
                high=protocol.high,
            )
        except SimulationError as error:
            raise CommandError(str(error)) from error


def check_no_people(study: Study) -> None:
    """Raises CommandError if people rate the study."""
    by_people = Assignment.objects.filter(hit__stage__study=study, worker__simulated=False)
    if by_people.exists():
        raise CommandError(
            f"People rate {study.slug}, and simulated ratings would be mixed with theirs. Simulate "
            f"in a copy: manage.py simulate_crowd {study.slug} --copy"
        )
