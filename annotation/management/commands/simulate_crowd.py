"""`simulate_crowd`: simulated workers rate a study through its real pages."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypedDict, Unpack

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application
from django.urls import reverse
from django.utils.timezone import now
from rich.console import Console
from rich.progress import Progress, TextColumn, TimeElapsedColumn

from annotation.lifecycle.services import copying
from annotation.rating.models import Assignment
from annotation.rating.services.invitations import InvitedWorker, signed_invitation
from annotation.rating.simulation.answers import AnswerModel
from annotation.rating.simulation.crowd_run import CrowdRun, RunOutcome
from annotation.rating.simulation.pages import Browser, Kind, PageProblemError, SimulatedWorker
from annotation.stages.services import opening
from annotation.studies.errors import StudyError
from annotation.studies.models import ComparedCandidate, Stage, Study, StudyCandidate
from concord.arguments import number
from concord.sentences import counted
from concord.simulation import Crowd, SimulationError, latent_score
from core.refusals import RefusedError

PROVIDER = "simulated"
LABELS: dict[Kind, str] = {
    "hand-out": "hand out",
    "save": "save a rating",
    "submit": "submit",
    "page": "load a page",
}


class SimulationArguments(TypedDict):
    """The options of the command."""

    study: str
    copy: str | None
    url: str
    workers: int
    ability: float
    bias: float
    noise: float
    spam: float
    seed: int
    parallel: int
    limit: int | None


class Command(BaseCommand):
    help = (
        "Let simulated workers rate a study through its real pages. Their ratings are marked as "
        "simulated. A study that people rate is refused: --copy simulates in a copy of it. Ctrl-C "
        "stops after the current tasks; run the same command again to resume."
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
        parser.add_argument(
            "--url", default="", help="URL of a running site; by default one is started"
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
            "--parallel", type=int, default=8, help="number of workers at the same time"
        )
        parser.add_argument(
            "--limit", type=int, default=None, help="maximum number of tasks, tests included"
        )

    def handle(self, *args: object, **options: Unpack[SimulationArguments]) -> None:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study '{options['study']}'.")
        for name, count in (("workers", options["workers"]), ("parallel", options["parallel"])):
            if count < 1:
                raise CommandError(f"--{name} must be at least 1, not {count}.")
        crowd = self._crowd(study, options)
        if options["copy"] is not None:
            study = self._copy(study, options["copy"])
        check_no_people(study)
        if not study.stages.filter(status=Stage.Status.OPEN).exists():
            raise CommandError("No stage of the study is open. Open one on the Stages page first.")
        with site(options["url"]) as url:
            outcome = self._run(study, crowd, url, options)
        self._report(outcome)
        if outcome.problems:
            raise CommandError("\n".join(outcome.problems[:5]))

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
        except (StudyError, RefusedError) as error:
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

    def _run(
        self, study: Study, crowd: Crowd, url: str, options: SimulationArguments
    ) -> RunOutcome:
        true_score = true_scores(study, crowd, options["seed"])
        answer_model = answers_of(study, options["seed"])
        try:
            workers = [
                SimulatedWorker(
                    Browser(url),
                    join_path(study, options["seed"], number),
                    rater,
                    true_score,
                    answer_model,
                )
                for number, rater in enumerate(crowd.raters(options["workers"], options["seed"]))
            ]
        except PageProblemError as error:
            raise CommandError(str(error)) from error
        columns = (TextColumn("{task.completed} tasks, {task.fields[ratings]} ratings"),)
        with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as progress:
            task = progress.add_task("", total=None, ratings=0)

            def after() -> None:
                ratings = sum(worker.ratings for worker in workers)
                progress.update(task, completed=run.outcome.assignments, ratings=ratings)

            run = CrowdRun(workers, options["limit"], after)
            return run.run(min(options["parallel"], len(workers)))

    def _report(self, outcome: RunOutcome) -> None:
        turns = outcome.turns
        self.stdout.write(
            f"{counted(outcome.assignments, 'task')} submitted, "
            f"{counted(outcome.ratings, 'rating')}, "
            f"{outcome.seconds:.1f} seconds."
        )
        if turns["passed"] or turns["failed"]:
            self.stdout.write(f"Tests: {turns['passed']} passed, {turns['failed']} failed.")
        for kind, name in LABELS.items():
            median, p95 = (outcome.latency(kind, percentile) for percentile in (50, 95))
            if median is not None:
                self.stdout.write(f"  {name}: p50 {median:.0f} ms, p95 {p95:.0f} ms")


def check_no_people(study: Study) -> None:
    """Raises CommandError if people rate the study."""
    by_people = Assignment.objects.filter(hit__stage__study=study, worker__simulated=False)
    if by_people.exists():
        raise CommandError(
            f"People rate {study.slug}, and simulated ratings would be mixed with theirs. Simulate "
            f"in a copy: manage.py simulate_crowd {study.slug} --copy"
        )


def join_path(study: Study, seed: int, number: int) -> str:
    """The invitation of a simulated worker; the same worker in every run with this seed."""
    invited = InvitedWorker(PROVIDER, f"seed {seed} worker {number}", simulated=True)
    return f"{reverse('rating-join', args=[study.slug])}?invite={signed_invitation(study, invited)}"


def true_scores(study: Study, crowd: Crowd, seed: int) -> Callable[[int], float]:
    """The true score of each candidate: its correct rating, otherwise a latent score by the seed.

    Of candidates to compare without a correct choice it is the number of the one with the highest
    latent score.
    The first member of a minimal pair is in the upper half of the scale, the second in the lower.
    """
    scores: dict[int, float] = {}
    rows = StudyCandidate.objects.filter(study=study).values_list(
        "pk", "key", "expected", "pair_member"
    )
    with_key = {pk for pk, _, expected, _ in rows if expected is not None}
    middle = (crowd.low + crowd.high) / 2
    for pk, key, expected, member in rows:
        if expected is not None:
            scores[pk] = float(expected)
        else:
            latent = latent_score(key, crowd.low, crowd.high, seed)
            half = middle if member == 1 else float(crowd.low)
            scores[pk] = latent if member is None else half + (latent - crowd.low) / 2
    for unit, keys in compared_keys(study).items():
        if unit not in with_key:
            latents = [latent_score(key, 0, 1, seed) for key in keys]
            scores[unit] = float(1 + latents.index(max(latents)))
    return scores.__getitem__


def compared_keys(study: Study) -> dict[int, list[str]]:
    """The keys of the candidates that each unit compares, in order."""
    compared: dict[int, list[str]] = {}
    parts = ComparedCandidate.objects.filter(unit__study=study).order_by("unit", "position")
    for unit, key in parts.values_list("unit", "candidate__key"):
        compared.setdefault(unit, []).append(key)
    return compared


def answers_of(study: Study, seed: int) -> AnswerModel:
    """The answers to the study's criteria, by the seed."""
    rows = StudyCandidate.objects.filter(study=study)
    keys, texts = dict(rows.values_list("pk", "key")), dict(rows.values_list("pk", "text"))
    correct = dict(rows.exclude(expected_answers={}).values_list("pk", "expected_answers"))
    return AnswerModel(study.current.protocol, keys, texts, correct, seed, compared_keys(study))


@contextmanager
def site(url: str) -> Iterator[str]:
    """The site at `url`, or a temporary one on a free port."""
    if url:
        yield url
        return
    server = ThreadedWSGIServer(("127.0.0.1", 0), QuietHandler, allow_reuse_address=False)
    with warnings.catch_warnings():
        # No static files were collected, and simulated workers ask for none.
        warnings.filterwarnings("ignore", "No directory at")
        server.set_app(get_wsgi_application())
    serving = threading.Thread(target=server.serve_forever, daemon=True)
    serving.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


class QuietHandler(WSGIRequestHandler):
    """Does not print a line for every request."""

    def log_message(self, format: str, *args: object) -> None:
        pass
