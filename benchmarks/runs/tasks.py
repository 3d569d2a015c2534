"""Celery tasks of metric runs.

A task that is delivered twice has its effect once. If its worker dies, the lease lapses and a
message is sent again.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.utils.timezone import now

from benchmarks.runs.external.metrics import ExternalMetricError
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import runs, scheduling, scoring
from concord.sentences import to_sentence
from core.database_errors import DATABASE_AWAY
from core.jobs import lane_task, queues, resend, row_task


@lane_task("benchmarks.tasks.score_next")
def score_next(lane: str) -> None:
    """Score the next chunk of a lane, on a GPU several; after the last chunk, finish the run."""
    chunks = scheduling.claim(lane, at=now(), at_most=scoring.chunks_at_once(lane))
    if not chunks:
        return
    run_id = chunks[0].run_id
    try:
        is_ready = scoring.score_chunks(chunks)
    except DATABASE_AWAY:
        raise  # the leases lapse, or the task is delivered again
    except Exception as error:
        runs.fail_run(run_id, _reason(error), at=now())
        raise
    if is_ready:
        finish_run.delay(run_id)


@row_task("benchmarks.tasks.finish_run", queue=queues.FINISH)
def finish_run(run_id: int) -> None:
    """Complete a run whose chunks are done."""
    run = MetricRun.objects.filter(pk=run_id).first()
    if run is None or not run.is_active:  # withdrawn or ended
        return
    try:
        scoring.finish_run(run)
    except DATABASE_AWAY:
        raise
    except Exception as error:
        runs.fail_run(run_id, _reason(error), at=now())
        raise


def enqueue(requested: list[MetricRun]) -> None:
    """Send the tasks of runs that `runs.request_runs` returned. Call it after the commit."""
    for lane in scheduling.lanes_of_waiting_chunks(requested):
        score_next.delay(lane)
    active = {run.pk for run in requested if run.is_active}
    for pk in active.intersection(runs.runs_to_finish()):
        finish_run.delay(pk)


def _to_finish(*, at: datetime, unclaimed_for: timedelta) -> list[int]:
    return runs.runs_to_finish()


def _reason(error: Exception) -> str:
    if isinstance(error, ExternalMetricError):
        return to_sentence(error)
    return f"{type(error).__name__}: {error}"


resend(score_next, scheduling.lanes_to_wake)
resend(finish_run, _to_finish)
