"""Whose chunk is scored next: fair between sets and between a set's runs, cheap metrics first.

A message that waits in a queue names a lane and no chunk. Which chunk it is for is decided when a
worker takes it, so that the chunks of a stopped run are passed over at once, and a run that is
asked for late does not wait behind all chunks of an earlier one.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, QuerySet, Window

from benchmarks.runs.models import MetricRun, RunChunk
from benchmarks.runs.services import runs
from core.jobs import leases
from core.jobs.models import MAX_TRIES

Status = MetricRun.Status
Chunks = RunChunk.Status


def messages(requested: Iterable[MetricRun]) -> list[str]:
    """The lanes to send messages to for these runs: one for each chunk that waits."""
    waiting = RunChunk.objects.filter(run__in=list(requested), status=Chunks.QUEUED)
    return list(waiting.order_by("index", "run").values_list("run__lane", flat=True))


def claim(lane: str, *, at: datetime, at_most: int = 1) -> list[RunChunk]:
    """Take the leases on the next chunks of the lane, all of one run; none where none is free.

    The run is that of the set that was served longest ago, and of its runs the one that was; runs
    that were not served yet come before, the cheapest first. A chunk whose workers died three
    times fails its run.
    """
    for run in _in_turn(lane, at):
        chunks = claim_of(run, at=at, at_most=at_most)
        if exhausted := next((chunk for chunk in chunks if chunk.is_exhausted), None):
            runs.fail_run(
                run.pk,
                f"Its worker died {MAX_TRIES} times while scoring items "
                f"{exhausted.position_array[0]} to {exhausted.position_array[-1]}; see the "
                "worker's log.",
                at=at,
            )
        elif chunks:
            return chunks
    return []


def lanes_to_wake(
    *, at: datetime, unclaimed_for: timedelta = leases.MESSAGE_LOST_AFTER
) -> list[str]:
    """The lanes to send messages to again, one for each chunk, which the caller must do.

    These are chunks whose lease has lapsed, and chunks that wait in a lane where none was claimed
    for `unclaimed_for`: their messages are lost, or the lane has no worker.
    """
    served = MetricRun.objects.filter(served_at__gt=at - unclaimed_for)
    busy = set(served.values_list("lane", flat=True))
    active = RunChunk.objects.filter(run__status__in=MetricRun.ACTIVE)
    quiet = active.filter(status=Chunks.QUEUED).exclude(run__lane__in=busy)
    lapsed = active.filter(status=Chunks.RUNNING)
    keys = leases.stale(lapsed | quiet, at=at, unclaimed_for=unclaimed_for)
    return list(RunChunk.objects.filter(pk__in=keys).values_list("run__lane", flat=True))


def _in_turn(lane: str, at: datetime) -> QuerySet[MetricRun]:
    free = RunChunk.objects.filter(leases.is_free(RunChunk, at=at), run=OuterRef("pk"))
    waiting = MetricRun.objects.filter(Exists(free), lane=lane, status__in=MetricRun.ACTIVE)
    set_served = Window(Max("served_at"), partition_by="judgment_set")
    return waiting.annotate(set_served=set_served).order_by(
        F("set_served").asc(nulls_first=True),
        F("served_at").asc(nulls_first=True),
        "cost",
        "pk",
    )


def claim_of(run: MetricRun, *, at: datetime, at_most: int = 1) -> list[RunChunk]:
    """Take the leases on the run's next free chunks, which no other worker is taking just now."""
    free = RunChunk.objects.filter(leases.is_free(RunChunk, at=at), run=run).order_by("index")
    with transaction.atomic():
        keys = list(free.select_for_update(skip_locked=True).values_list("pk", flat=True)[:at_most])
        if not keys or not leases.take(RunChunk.objects.filter(pk__in=keys), at=at):
            return []
        active = MetricRun.objects.filter(pk=run.pk, status__in=MetricRun.ACTIVE)
        if not active.update(status=Status.RUNNING, served_at=at):
            transaction.set_rollback(True)  # it was stopped meanwhile
            return []
        if run.started_at is None:
            active.filter(started_at=None).update(started_at=at)
        # Read before others see the leases: the run could be stopped, asked for and claimed again
        # meanwhile, and the attempts read would be those of another worker.
        # Prefetched, the run comes without its arrays, which are as large as the set.
        return list(RunChunk.objects.filter(pk__in=keys).prefetch_related("run").order_by("index"))
