"""Celery tasks of metric runs: primary keys in, everything else in the services.

Delivered twice, each works once. When its worker dies, the lease lapses and the chunk is sent
again.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import OperationalError
from django.utils.timezone import now

from benchmarks.runs.external.metrics import ExternalMetricError
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import runs, scoring
from concord.sentences import sentence
from core.jobs import resend, row_task


@row_task("benchmarks.tasks.score_chunk")
def score_chunk(chunk_id: int) -> None:
    """Score one chunk; the task that scores a run's last one has the run finished."""
    chunk = runs.claim_chunk(chunk_id, at=now())
    if chunk is None:
        return
    try:
        last = scoring.score_chunk(chunk)
    except OperationalError:
        raise  # the lease lapses or the task comes again
    except Exception as error:
        runs.fail_run(chunk.run_id, _reason(error), at=now())
        raise
    if last:
        finish_run.delay(chunk.run_id)


@row_task("benchmarks.tasks.finish_run")
def finish_run(run_id: int) -> None:
    """Complete a run whose chunks are done."""
    run = MetricRun.objects.filter(pk=run_id).first()
    if run is None or not run.is_active:  # withdrawn, or ended meanwhile
        return
    try:
        scoring.finish_run(run)
    except OperationalError:
        raise
    except Exception as error:
        runs.fail_run(run_id, _reason(error), at=now())
        raise


def enqueue(requested: list[MetricRun]) -> None:
    """Send the work of runs that `runs.request_runs` gave; call it after their commit."""
    for chunk_id in runs.chunks_to_score(requested):
        score_chunk.delay(chunk_id)
    for run in requested:
        if run.is_active and not run.chunks.exists():
            finish_run.delay(run.pk)


def _to_finish(*, at: datetime, unclaimed_for: timedelta) -> list[int]:
    return runs.runs_to_finish()


def _reason(error: Exception) -> str:
    if isinstance(error, ExternalMetricError):  # whose message is a sentence
        return sentence(error)
    return f"{type(error).__name__}: {error}"


resend(score_chunk, runs.stale_chunks)
resend(finish_run, _to_finish)
