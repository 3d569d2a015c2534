"""`publish STUDY`: put a stage before a crowd, or go on where that was cut off."""

from __future__ import annotations

from typing import Any

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
from annotation.crowds.services.orders import provider_of
from annotation.crowds.services.running import alone
from annotation.studies.errors import StudyError
from annotation.studies.models import Stage, Study


class Command(BaseCommand):
    help = (
        "Put a stage of a study before a crowd: order it, make the calls, show progress. Run again "
        "after an interruption, it goes on where it stopped. Real money is confirmed by typing the "
        "cost."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study")
        parser.add_argument("--stage", default="full", choices=("trial", "full"))
        parser.add_argument("--provider", default="mturk", choices=sorted(PROVIDERS))
        parser.add_argument(
            "--place", default="sandbox", help="sandbox, production, or an address of the API"
        )
        parser.add_argument("--site", default="", help="where workers reach this installation")
        parser.add_argument("--title", default="")
        parser.add_argument("--description", default="")
        parser.add_argument("--question", default="external", choices=("external", "html"))
        parser.add_argument("--whole", action="store_true", help="no HITs split for the lower fee")
        parser.add_argument("--queue", default="", help="address of an SQS queue that notifies")
        parser.add_argument("--worker-origin", default="", help="of the place's worker pages")
        parser.add_argument("--tasks-each", type=int, default=5, help="tasks of a session")
        parser.add_argument("--fee-percent", default="", help="of a platform with sessions")
        parser.add_argument("--budget", default="", help="dollars not to be exceeded")
        parser.add_argument("--confirm", default="", help="the exact cost with fees, as shown")
        parser.add_argument("--quote", action="store_true", help="say what it costs, and no more")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._handle(options)
        except OfferError as error:
            raise CommandError(str(error)) from error
        except (StudyError, CrowdError, ValueError) as error:
            raise CommandError(str(error)) from error

    def _handle(self, options: dict[str, Any]) -> None:
        study = Study.objects.filter(slug=options["study"]).first()
        if study is None:
            raise CommandError(f"There is no study '{options['study']}'.")
        stage = study.stages.filter(kind=options["stage"]).first()
        if stage is None:
            raise CommandError(f"The study has no {options['stage']} stage.")
        live = Publication.objects.filter(stage=stage, status=Publication.Status.LIVE).first()
        if live is None:
            live = self._order(stage, options)
        if live is not None:
            self._send(live)

    def _order(self, stage: Stage, options: dict[str, Any]) -> Publication | None:
        if not options["site"]:
            raise CommandError("Give --site: the address at which workers reach this site.")
        draft = self._draft(stage, options)
        quote = publishing.quote(draft)
        price = quote.price
        total = dollars(price.total)
        self.stdout.write(
            f"{price.listings:,} listings, {price.assignments:,} assignments: "
            f"${dollars(price.rewards)} to workers, ${dollars(price.fees)} in fees, "
            f"${total} in all."
        )
        if quote.saved:
            verb = "saves" if quote.saved > 0 else "costs"
            self.stdout.write(
                f"Splitting into HITs of nine at most {verb} ${dollars(abs(quote.saved))}."
            )
        if options["quote"]:
            draft.delete()
            return None
        said = options["confirm"]
        if not said and provider_of(draft).is_real_money:
            said = _typed(f"This is real money. Type {total} to publish: ")
        return publishing.publish(draft, confirmed=said or total, by=None, at=now())

    def _draft(self, stage: Stage, options: dict[str, Any]) -> Publication:
        if options["provider"] == "prolific" and not options["fee_percent"]:
            raise CommandError("Give --fee-percent: what your account pays on top of rewards.")
        offer = Offer(
            title=options["title"] or stage.study.title,
            description=options["description"] or stage.study.current.protocol.question,
            question=options["question"],
            split=not options["whole"],
            queue=options["queue"],
            worker_origin=options["worker_origin"],
            tasks_each=options["tasks_each"],
            fee_percent=options["fee_percent"] or "0",
        )
        return publishing.draft(
            stage,
            options["provider"],
            offer,
            place=options["place"] if options["provider"] in ("mturk", "prolific") else "",
            site=options["site"],
            budget_cents=_budget(options["budget"]),
            at=now(),
        )

    def _send(self, publication: Publication) -> None:
        total = outbox.unfinished(publication).count()
        columns = (BarColumn(), TextColumn("{task.completed} of {task.total} calls"))
        with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True)) as shown:
            task = shown.add_task("", total=total)
            with alone(publication.pk) as is_alone:
                if not is_alone:
                    raise CommandError("Another process is making its calls already.")
                done = outbox.run(
                    publication,
                    told=lambda run: shown.update(task, completed=run.done + run.failed),
                )
        waits = f", {done.waits} waits" if done.waits else ""
        self.stdout.write(f"{done.done} calls made{waits}; {done.left} left.")
        if done.problem or done.failed:
            raise CommandError(done.problem or f"{done.failed} calls were refused: see the page.")


def _budget(text: str) -> int | None:
    """Cents; None for no budget. Raises CommandError."""
    try:
        found = cents(text.strip().lstrip("$")) if text else None
    except (ValueError, ArithmeticError) as error:
        raise CommandError(f"--budget is an amount in dollars, such as 25.00: {text}") from error
    if found is not None and found < 0:
        raise CommandError("--budget is not below zero.")
    return found


def _typed(question: str) -> str:
    try:
        return input(question)
    except EOFError as error:
        raise CommandError("Nobody is there to type it: give the cost by --confirm.") from error
