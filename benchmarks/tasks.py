"""Celery tasks of judgment sets and metric runs: primary keys in, everything else in the services.

Delivered twice, each works once. When its worker dies, the lease lapses and the sweeper sends it
again.
"""

from __future__ import annotations

from datetime import timedelta

from django.conf import settings
from django.db import OperationalError
from django.utils.timezone import now

from benchmarks.analyses import services as analyses
from benchmarks.analyses.services import requests
from benchmarks.imports import services as imports
from benchmarks.leases import MESSAGE_LOST_AFTER
from benchmarks.runs.external.metrics import ExternalMetricError
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import runs, scoring
from benchmarks.trainings import services as trainings
from benchmarks.tryouts import services as tryouts
from core.jobs import duty, row_task

# How long a training waits when the process that would make it makes another.
BUSY_SECONDS = 20


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


@row_task("benchmarks.tasks.compute_analysis")
def compute_analysis(analysis_id: int) -> None:
    """Compute one analysis and store its result, or the reason why there is none."""
    analyses.perform(analysis_id)


@row_task("benchmarks.tasks.train")
def train(training_id: int) -> None:
    """Make one training; put back where this process is busy with another."""
    if not trainings.perform(training_id):
        train.apply_async((training_id,), countdown=BUSY_SECONDS)


@row_task("benchmarks.tasks.import_set")
def import_set(import_id: int) -> None:
    """Do one import, and send the metric runs that it asked for again."""
    enqueue(imports.perform(import_id))


@row_task("benchmarks.tasks.score_tryout")
def score_tryout(tryout_id: int) -> None:
    """Score one try-out with the metrics that the web process does not compute."""
    tryouts.perform(tryout_id)


def requeue_stale_chunks(unclaimed_for: timedelta = MESSAGE_LOST_AFTER) -> None:
    """Send again what dead workers held, what the broker lost, what was scored but not finished."""
    for analysis_id in requests.stale(at=now(), unclaimed_for=unclaimed_for):
        compute_analysis.delay(analysis_id)
    for training_id in trainings.stale(at=now(), unclaimed_for=unclaimed_for):
        train.delay(training_id)
    for import_id in imports.stale(at=now(), unclaimed_for=unclaimed_for):
        import_set.delay(import_id)
    tryouts.delete_old(at=now())
    for tryout_id in tryouts.stale(at=now(), unclaimed_for=unclaimed_for):
        score_tryout.delay(tryout_id)
    for chunk_id in runs.stale_chunks(at=now(), unclaimed_for=unclaimed_for):
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


@duty(every=None)
def requeue_at_start() -> None:
    """When a worker starts, what lies unclaimed for one lease was left by another."""
    requeue_stale_chunks(timedelta(seconds=settings.SCORING_LEASE_SECONDS))


@duty(every=lambda: settings.SCORING_LEASE_SECONDS / 3)
def requeue_lost_work() -> None:
    """Send again what is not claimed, or whose lease lapsed."""
    requeue_stale_chunks()


def _reason(error: Exception) -> str:
    if isinstance(error, ExternalMetricError):  # whose message is a sentence
        message = str(error)
        return f"{message[:1].upper()}{message[1:]}."
    return f"{type(error).__name__}: {error}"
