"""`worker`: run background work in the foreground."""

from __future__ import annotations

from typing import cast

from django.core.management.base import BaseCommand, CommandError, CommandParser

from core.workers.pools import LANES, Lane
from core.workers.supervision import preload, stop_on_signals
from core.workers.supervisor import supervise


class Command(BaseCommand):
    help = "Run background work until stopped. You can start it on any number of machines."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--queues",
            default=",".join(LANES),
            help="Kinds of work for this machine, comma-separated: light (metrics without a model, "
            "imports, analyses, crowds, webhooks), encoder (metrics with a model). "
            "Default: all.",
        )

    def handle(self, *, queues: str, **_: object) -> None:
        lanes = list(dict.fromkeys(queues.split(",")))
        if unknown := [lane for lane in lanes if lane not in LANES]:
            raise CommandError(
                f"--queues: unknown value {unknown[0]!r}. Choose from {', '.join(LANES)}."
            )
        stop_on_signals()
        preload()
        supervise(cast(list[Lane], lanes))
