"""`score NAME --metrics a,b,c`: start metric runs; with --wait, wait until they are done."""

from __future__ import annotations

from contextlib import nullcontext

from django.core.management.base import CommandError, CommandParser
from django.db import transaction
from django.utils.timezone import now

import scorers
from benchmarks.management.base import SetCommand, add_set_argument
from benchmarks.management.watching import watch as watch_runs
from benchmarks.runs import tasks
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import runs
from benchmarks.sets.models import JudgmentSet
from core.workers.starting import ensure_worker


class Command(SetCommand):
    help = "Score a judgment set with metrics, in Celery workers."

    def add_arguments(self, parser: CommandParser) -> None:
        add_set_argument(parser)
        parser.add_argument("--metrics", required=True, metavar="a,b(option=x),c")
        parser.add_argument("--multi-ref", choices=("max", "joint"), default="max")
        parser.add_argument(
            "--wait",
            action="store_true",
            help="wait until all are done; starts a worker if none is alive",
        )
        parser.add_argument(
            "--watch",
            action="store_true",
            help="wait until all are done; starts no worker",
        )

    def run(
        self, *, name: str, metrics: str, multi_ref: str, wait: bool, watch: bool, **_: object
    ) -> None:
        judgment_set = JudgmentSet.objects.named(name)
        is_all = metrics == "all"
        names = ",".join(scorers.ready_names()) if is_all else metrics
        parsed = scorers.parse_metrics(names, multi_ref=multi_ref)
        with transaction.atomic():
            requested = runs.request_runs(judgment_set, parsed, at=now())
        tasks.enqueue(requested)
        if not (wait or watch):
            active = sum(run.is_active for run in requested)
            self.stdout.write(f"{active} of {len(requested)} metric runs on {judgment_set} queued.")
            return
        needs_worker = wait and any(run.is_active for run in requested)
        with ensure_worker() if needs_worker else nullcontext():
            finished = watch_runs(requested, self.console)
        failed = [run for run in finished if run.status != MetricRun.Status.COMPLETE]
        for run in failed:
            self.stderr.write(f"{run.metric}: {run.status}: {run.reason}")
        complete = len(finished) - len(failed)
        self.stdout.write(f"{complete} of {len(finished)} metric runs on {judgment_set} complete.")
        if failed:
            raise CommandError(f"{len(failed)} metric runs did not complete.")
