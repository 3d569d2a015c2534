"""Selection of the next chunk: fair between sets and between a set's runs, cheap metrics first.

A message in a queue names a lane, not a chunk. The chunk is selected when a worker receives the
message: chunks of a stopped run are skipped at once, and a later run does not wait for all chunks
of an earlier one.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, Exists, F, Max, OuterRef, QuerySet, Window

from benchmarks.runs.models import MetricRun, RunChunk
from core.jobs import leases

Status = MetricRun.Status
Chunks = RunChunk.Status
# A run begins with so many messages, and each gives rise to the next, so that as many processes can
# score its chunks at the same time.
MAX_MESSAGES = 32


def lanes_to_start(requested: Iterable[MetricRun]) -> list[str]:
    """The lane of each run, once for each queued chunk up to MAX_MESSAGES; the caller sends a
    message to each."""
    waiting = RunChunk.objects.filter(run__in=list(requested), status=Chunks.QUEUED)
    counts = waiting.values_list("run__lane", "run").annotate(Count("pk"))
    return [lane for lane, _, count in counts for _ in range(min(count, MAX_MESSAGES))]


def claim(lane: str, *, at: datetime, at_most: int = 1) -> list[RunChunk]:
    """Take the leases on the next chunks of the lane, all of one run; [] if none is free.

    The set that was served longest ago comes first, then its run that was served longest ago. Runs
    that were not served yet come before these, the cheapest first.
    """
    for run in _runs_by_priority(lane, at):
        if chunks := claim_chunks(run, at=at, at_most=at_most):
            return chunks
    return []


def lanes_to_wake(
    *, at: datetime, unclaimed_for: timedelta = leases.MESSAGE_LOST_AFTER
) -> list[str]:
    """The lane of each chunk whose message is lost; the caller sends a message to each.

    These are chunks whose lease has lapsed, and queued chunks of a lane in which no chunk was
    claimed for `unclaimed_for`.
    """
    lately = (at - unclaimed_for, at + leases.CLOCK_SKEW)
    served = MetricRun.objects.filter(served_at__range=lately)
    busy = set(served.values_list("lane", flat=True))
    active = RunChunk.objects.filter(run__status__in=MetricRun.ACTIVE)
    unclaimed = active.filter(status=Chunks.QUEUED).exclude(run__lane__in=busy)
    lapsed = active.filter(status=Chunks.RUNNING)
    keys = leases.stale(lapsed | unclaimed, at=at, unclaimed_for=unclaimed_for)
    return list(RunChunk.objects.filter(pk__in=keys).values_list("run__lane", flat=True))


def _runs_by_priority(lane: str, at: datetime) -> QuerySet[MetricRun]:
    free = RunChunk.objects.filter(leases.is_free(RunChunk, at=at), run=OuterRef("pk"))
    waiting = MetricRun.objects.filter(Exists(free), lane=lane, status__in=MetricRun.ACTIVE)
    set_served = Window(Max("served_at"), partition_by="judgment_set")
    return waiting.annotate(set_served=set_served).order_by(
        F("set_served").asc(nulls_first=True),
        F("served_at").asc(nulls_first=True),
        "cost",
        "pk",
    )


def claim_chunks(run: MetricRun, *, at: datetime, at_most: int = 1) -> list[RunChunk]:
    """Take the leases on the run's next free chunks; skips those that another worker locks."""
    free = RunChunk.objects.filter(leases.is_free(RunChunk, at=at), run=run).order_by("index")
    with transaction.atomic():
        keys = list(free.select_for_update(skip_locked=True).values_list("pk", flat=True)[:at_most])
        if not keys or not leases.take(RunChunk.objects.filter(pk__in=keys), at=at):
            return []
        if not run.active.update(status=Status.RUNNING, served_at=at):
            transaction.set_rollback(True)  # the run was stopped
            return []
        if run.started_at is None:
            run.active.filter(started_at=None).update(started_at=at)
        # Read in this transaction: after it, another worker could claim the chunks again, and their
        # attempt numbers would be those of that worker. Prefetched runs come without their arrays.
        return list(RunChunk.objects.filter(pk__in=keys).prefetch_related("run").order_by("index"))
