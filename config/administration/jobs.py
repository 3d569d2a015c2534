"""The jobs of the site: which wait, run or failed; stopping them and trying them again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.apps import apps
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Count
from django.utils.text import capfirst

from annotation.crowds.models import CrowdCall
from benchmarks.runs.models import MetricRun
from benchmarks.runs.services import runs
from benchmarks.runs.services.metrics import metric_of
from benchmarks.runs.tasks import enqueue
from core import audit
from core.jobs.kinds import KINDS
from core.jobs.models import BaseJob, Job, LeasedJob
from core.refusals import RefusedError

SHOWN = {"active": ("queued", "running"), "failed": ("failed",)}
MAX_ROWS = 100
ENDED = ("failed", "cancelled")

# Sends the job's tasks; to be called after the commit.
Send = Callable[[], object]


@dataclass(frozen=True)
class JobRow:
    """A job on the page. kind: its name in URLs. title: of its kind, for people."""

    job: BaseJob
    kind: str
    title: str
    may_retry: bool


def models() -> dict[str, type[BaseJob]]:
    """All kinds of jobs by their name in URLs."""
    kinds = [
        model for model in apps.get_models() if issubclass(model, BaseJob) and model is not Job
    ]
    return {str(model._meta.model_name): model for model in kinds}


def counts() -> dict[str, dict[str, int]]:
    """By kind of job for people, the number of its jobs by status; without ended ones."""
    shown = [status for statuses in SHOWN.values() for status in statuses]
    by_title = {}
    for model in models().values():
        rows = model.requested().filter(status__in=shown).order_by()
        by_title[_title(model)] = dict(rows.values_list("status").annotate(n=Count("pk")))
    return {title: by_status for title, by_status in sorted(by_title.items()) if by_status}


def listed(show: str) -> list[JobRow]:
    """The latest jobs that wait or run, or that failed."""
    rows: list[JobRow] = []
    for kind, model in models().items():
        requested = model.requested()
        if model is MetricRun:
            requested = MetricRun.objects.with_progress().select_related(
                "judgment_set", "submission"
            )
        jobs = requested.filter(status__in=SHOWN[show])
        latest = jobs.order_by("-created_at")[:MAX_ROWS]
        rows += [JobRow(job, kind, _title(model), _may_retry(job)) for job in latest]
    rows.sort(key=lambda row: row.job.created_at, reverse=True)
    return rows[:MAX_ROWS]


def failed_calls() -> list[tuple[str, int]]:
    """Studies with failed calls to a crowd platform, and how many."""
    calls = CrowdCall.objects.filter(status=CrowdCall.Status.FAILED).order_by()
    slugs = calls.values_list("publication__stage__study__slug").annotate(n=Count("pk"))
    return list(slugs.order_by("publication__stage__study__slug"))


def stop(job: BaseJob, *, by: User, at: datetime) -> None:
    """Stop a job that waits or runs. Raises RefusedError if it has ended."""
    with transaction.atomic():
        if isinstance(job, LeasedJob):
            is_stopped = KINDS[type(job)].stop(job, by, at)
        else:
            is_stopped = job.cancel(at=at)
        if not is_stopped:
            raise RefusedError(f"{capfirst(str(job))} has ended already.", "not-there-yet")
        audit.record(by, "job.stopped", job)


def retry(job: BaseJob, *, by: User, at: datetime) -> Send:
    """Queue a failed or stopped job again. Returns what sends its tasks.

    Raises RefusedError if it is neither, and for a job that its owner must request again.
    """
    with transaction.atomic():
        send = _queue_again(job, at)
        audit.record(by, "job.queued again", job)
    return send


def _queue_again(job: BaseJob, at: datetime) -> Send:
    if not _may_retry(job):
        raise RefusedError(f"{capfirst(str(job))} cannot be tried again here.", "not-there-yet")
    if isinstance(job, MetricRun):
        requested = runs.request_runs(job.judgment_set, [metric_of(job)], at=at)
        return lambda: enqueue(requested)
    assert isinstance(job, LeasedJob)
    if not job.queue_again(at=at, **job.RESET):
        raise RefusedError(f"{capfirst(str(job))} is queued already.", "not-there-yet")
    return lambda: KINDS[type(job)].task.delay(job.pk)


def _may_retry(job: BaseJob) -> bool:
    """Whether the job has ended and needs nothing of its owner. An import needs its file, a
    submission its day's quota."""
    if isinstance(job, MetricRun):
        is_possible = job.submission_id is None
    else:
        is_possible = isinstance(job, LeasedJob) and KINDS[type(job)].may_retry
    return is_possible and job.status in ENDED


def _title(model: type[BaseJob]) -> str:
    return str(model._meta.verbose_name)
