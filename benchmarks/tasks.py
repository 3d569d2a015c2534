"""Doorways for Celery: primary keys in, everything else in the services.

Delivered twice, each works once; when its worker dies, the lease lapses and
`requeue_stale_chunks` sends it again.
"""

from __future__ import annotations

from celery import shared_task
from celery.signals import worker_ready
from django.utils.timezone import now

from benchmarks.models import MetricRun
from benchmarks.services import runs, scoring


@shared_task
def score_chunk(chunk_id: int) -> None:
    """Score one chunk; the task that scores a run's last one has the run finished."""
    chunk = runs.claim_chunk(chunk_id, at=now())
    if chunk is None:
        return
    try:
        last = scoring.score_chunk(chunk)
    except Exception as error:
        runs.fail_run(chunk.run_id, _reason(error), at=now())
        raise
    if last:
        finish_run.delay(chunk.run_id)


@shared_task
def finish_run(run_id: int) -> None:
    """Complete a run whose chunks are done."""
    run = MetricRun.objects.select_related("judgment_set").get(pk=run_id)
    if not run.is_active:
        return
    try:
        scoring.finish_run(run)
    except Exception as error:
        runs.fail_run(run_id, _reason(error), at=now())
        raise


@shared_task
def requeue_stale_chunks() -> None:
    """Send again what dead workers held; beat calls it, and every worker when it starts."""
    for chunk_id in runs.stale_chunks(at=now()):
        score_chunk.delay(chunk_id)
    for run_id in runs.runs_to_finish():
        finish_run.delay(run_id)


def enqueue(requested: list[MetricRun]) -> None:
    """Send the work of runs that `runs.request_runs` gave; call it after their commit."""
    for chunk_id in runs.chunks_to_score(requested):
        score_chunk.delay(chunk_id)
    for run in requested:
        if run.is_active and not run.chunks.exists():
            finish_run.delay(run.pk)


@worker_ready.connect
def _look_for_stale_chunks(**_: object) -> None:
    requeue_stale_chunks.delay()


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
