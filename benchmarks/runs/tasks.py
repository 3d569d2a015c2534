"""Celery tasks of metric runs.

A task that is delivered twice has its effect once. If its worker dies, the lease lapses and a
message is sent again.
"""

from __future__ import annotations

from django.utils.timezone import now

from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import runs, scheduling, scoring
from core.jobs import lane_task, queues, resend, row_task


@lane_task("benchmarks.tasks.score_next")
def score_next(lane: str) -> None:
    """Score the next chunk of a lane, on a GPU several; after the last chunk, finish the run.

    After any other it sends itself again, so that the chunks of a run need few messages, and no
    chunk waits if a killed worker takes one with it.
    """
    chunks = scheduling.claim(lane, at=now(), at_most=scoring.chunks_at_once(lane))
    if not chunks:
        return
    if scoring.score_chunks(chunks):
        finish_run.delay(chunks[0].run_id)
    else:
        score_next.delay(lane)


@row_task("benchmarks.tasks.finish_run", queue=queues.FINISH)
def finish_run(run_id: int) -> None:
    """Complete a run whose chunks are done."""
    run = MetricRun.objects.filter(pk=run_id, status__in=MetricRun.ACTIVE).first()
    if run is not None:
        scoring.finish_run(run)


def enqueue(requested: list[MetricRun]) -> None:
    """Send the tasks of runs that `runs.request_runs` returned. Call it after the commit."""
    for lane in scheduling.lanes_to_start(requested):
        score_next.delay(lane)
    active = {run.pk for run in requested if run.is_active}
    for pk in active.intersection(runs.runs_to_finish()):
        finish_run.delay(pk)


resend(score_next, scheduling.lanes_to_wake)
resend(finish_run, lambda **_: runs.runs_to_finish())
