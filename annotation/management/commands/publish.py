"""`publish STUDY`: publish a stage on a crowd platform, or resume an interrupted publication."""

from __future__ import annotations

from typing import TypedDict, Unpack

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.timezone import now
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

from annotation.crowds.models import Publication
from annotation.crowds.providers.money import cents, dollars
from annotation.crowds.providers.offer import Offer, OfferError
from annotation.crowds.providers.provider import CrowdError
from annotation.crowds.providers.registry import PROVIDERS
from annotation.crowds.services import outbox, publishing
from annotation.crowds.services.publication_specs import provider_of
from annotation.crowds.services.scheduling import exclusive
from annotation.studies.errors import StudyError
from annotation.studies.models import Stage, Study
from concord.bounds import add_options
from concord.sentences import counted


class PublishArguments(TypedDict):
    """The options of the command."""

    study: str
    stage: str
    provider: str
    environment: str
    site: str
    title: str
    description: str
    question: str
    only_passed: bool
    worker_origin: str
    tasks_each: int
    test_places: int
    queue: str
    whole: bool
    fee_percent: str
    budget: str
    confirm: str
    quote: bool


class Command(BaseCommand):
    help = (
        "Publish a stage of a study on a crowd platform and show the progress of the calls. "
        "After an interruption, run it again to resume. Where money may be charged, the exact cost "
        "must be typed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument(
            "--stage",
            default="full",
            choices=("qualification", "trial", "full", "second-look"),
            help="qualification: the test as a paid task, where the platform can offer it",
        )
        parser.add_argument("--provider", default="mturk", choices=sorted(PROVIDERS))
        parser.add_argument(
            "--environment",
            "--place",
            default="sandbox",
            help="sandbox, production, or the URL of a service with the same API",
        )
        parser.add_argument(
            "--site", default="", help="base URL under which workers reach this site"
        )
        parser.add_argument("--title", default="")
        parser.add_argument("--description", default="")
        add_options(parser, Offer, "question", "only_passed", "worker_origin", "tasks_each")
        parser.add_argument(
            "--test-places",
            type=int,
            default=Offer("-", "-").test_places,
            help="how many workers take a paid qualification test",
        )
        parser.add_argument("--queue", default="", help="URL of an SQS queue for notifications")
        parser.add_argument(
            "--whole", action="store_true", help="do not split HITs for the lower fee"
        )
        parser.add_argument("--fee-percent", default="", help="fee of a platform with sessions")
        parser.add_argument("--budget", default="", help="maximum cost in dollars")
        parser.add_argument("--confirm", default="", help="the exact cost with fees, as shown")
        parser.add_argument(
            "--quote", action="store_true", help="show the cost and publish nothing"
        )

    def handle(self, *args: object, **options: Unpack[PublishArguments]) -> None:
        try:
            self._handle(options)
        except OfferError as error:
            raise CommandError(str(error)) from error
        except (StudyError, CrowdError, ValueError) as error:
            raise CommandError(str(error)) from error

    def _handle(self, options: PublishArguments) -> None:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study '{options['study']}'.")
        stage = study.stages.filter(kind=options["stage"]).first()
        if stage is None:
            raise CommandError(f"The study has no {options['stage']} stage.")
        live = Publication.objects.filter(stage=stage, status=Publication.Status.LIVE).first()
        if live is None:
            live = self._publish(stage, options)
        elif live.problem:
            outbox.retry_failed(live)
        if live is not None:
            self._send(live)

    def _publish(self, stage: Stage, options: PublishArguments) -> Publication | None:
        if not options["site"]:
            raise CommandError("Add --site: the base URL under which workers reach this site.")
        draft = self._draft(stage, options)
        quote = publishing.quote(draft)
        price = quote.price
        total = dollars(price.total)
        self.stdout.write(
            f"{counted(price.listings, 'listing')}, {counted(price.assignments, 'assignment')}: "
            f"${dollars(price.rewards)} to workers, ${dollars(price.fees)} in fees, "
            f"${total} in total."
        )
        if quote.saved:
            verb = "saves" if quote.saved > 0 else "costs"
            self.stdout.write(
                f"Splitting HITs into parts of at most nine assignments {verb} "
                f"${dollars(abs(quote.saved))}."
            )
        if note := publishing.test_note(draft):
            self.stdout.write(note)
        if options["quote"]:
            draft.delete()
            return None
        confirmed = options["confirm"]
        if not confirmed:
            asks = provider_of(draft).is_real_money
            question = f"This may charge real money. Type {total} to publish: "
            confirmed = _typed(question) if asks else total
        return publishing.publish(draft, confirmed=confirmed, by=None, at=now())

    def _draft(self, stage: Stage, options: PublishArguments) -> Publication:
        if options["provider"] == "prolific" and not options["fee_percent"]:
            raise CommandError("Add --fee-percent: the platform's fee on top of the rewards.")
        offer = Offer(
            title=options["title"] or stage.study.title,
            description=options["description"] or stage.study.current.protocol.question,
            question=options["question"],
            split=not options["whole"],
            queue=options["queue"],
            worker_origin=options["worker_origin"],
            tasks_each=options["tasks_each"],
            test_places=options["test_places"],
            only_passed=options["only_passed"],
            fee_percent=options["fee_percent"] or "0",
        )
        return publishing.draft(
            stage,
            options["provider"],
            offer,
            environment=options["environment"]
            if options["provider"] in ("mturk", "prolific")
            else "",
            site=options["site"],
            budget_cents=_budget(options["budget"]),
            at=now(),
        )

    def _send(self, publication: Publication) -> None:
        total = outbox.unfinished(publication).count()
        columns = (BarColumn(), TextColumn("{task.completed} of {task.total} calls"))
        with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as bar:
            task = bar.add_task("", total=total)
            with exclusive(publication.pk) as is_exclusive:
                if not is_exclusive:
                    raise CommandError("Another process is making the calls of this publication.")
                result = outbox.send_all(
                    publication,
                    on_progress=lambda run: bar.update(task, completed=run.done + run.failed),
                )
        waits_text = f", {result.waits} waits" if result.waits else ""
        self.stdout.write(f"{result.done} calls made{waits_text}; {result.left} left.")
        if result.problem or result.failed:
            raise CommandError(
                result.problem or f"{result.failed} calls were refused: see the page."
            )


def _budget(text: str) -> int | None:
    """The budget in cents; None for no budget. Raises CommandError."""
    try:
        budget = cents(text.strip().lstrip("$")) if text else None
    except (ValueError, ArithmeticError) as error:
        raise CommandError(
            f"--budget must be an amount in dollars, such as 25.00: {text}"
        ) from error
    if budget is not None and budget < 0:
        raise CommandError("--budget must not be negative.")
    return budget


def _typed(question: str) -> str:
    try:
        return input(question)
    except EOFError as error:
        raise CommandError(
            "There is no terminal to type the cost: pass it by --confirm."
        ) from error
