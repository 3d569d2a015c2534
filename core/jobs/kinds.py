"""Registry of the kinds of jobs: the work of each, and the task that does it.

A kind is declared once, in its feature's `tasks` or `services`; sending it again, its failures and
its deletion follow.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Generic, TypeVar

from celery import Task
from django.contrib.auth.models import User
from django.utils.timezone import now

from core.jobs.models import LeasedJob
from core.jobs.performing import perform
from core.jobs.queues import JOBS
from core.jobs.scheduler import periodic, resend
from core.jobs.tasks import row_task

JobType = TypeVar("JobType", bound=LeasedJob)
Fail = Callable[[JobType, str, Exception | None], object]
KINDS: dict[type[LeasedJob], JobKind[Any]] = {}


def _fail(job: LeasedJob, reason: str, _: Exception | None) -> None:
    job.fail(reason, at=now())


def _stop(job: LeasedJob, by: User, at: datetime) -> bool:
    return job.cancel(at=at)


@dataclass
class JobKind(Generic[JobType]):
    """A kind of job.

    work, expected_errors, fail: those of `performing.perform`, for a claimed job. stop: stops
    a job for somebody; False if it has ended. is_deleted: whether a job is deleted ENDED_KEPT_FOR
    after its end. may_retry: whether an administrator may queue a failed job again. task: sends a
    job to the workers.
    """

    model: type[JobType]
    work: Callable[..., Any]  # of a job of the model
    expected_errors: tuple[type[Exception], ...] = ()
    fail: Fail[JobType] = _fail
    stop: Callable[[JobType, User, datetime], bool] = _stop
    is_deleted: bool = False
    may_retry: bool = False
    task: Task[[int], None] = field(init=False)

    def __post_init__(self) -> None:
        KINDS[self.model] = self

    def perform(self, pk: int, *options: Any) -> Any:  # noqa: ANN401 - as `work`
        """Do a job, unless another worker has it or it has ended, and return what `work` does.

        options: further arguments of `work`.
        """
        job = self.model.claim(pk, at=now(), **self.model.RESET)
        if job is None:
            return None
        return perform(
            job,
            lambda: self.work(job, *options),
            expected_errors=self.expected_errors,
            fail=lambda reason, error: self.fail(job, reason, error),
        )

    def declare_task(self, name: str, queue: str = JOBS) -> Task[[int], None]:
        """The Celery task that performs a job. name, queue: those of `row_task`."""

        def perform_job(pk: int) -> None:
            self.perform(pk)

        return self.sent_by(row_task(name, queue)(perform_job))

    def sent_by(self, task: Task[[int], None]) -> Task[[int], None]:
        """Have jobs of this kind sent by `task`, and again when its message was lost."""
        self.task = task
        resend(task, self.model.stale)
        return task


@periodic(every=3600.0)
def delete_ended() -> None:
    """Delete the jobs that ended long ago, of the kinds that are not kept."""
    for kind in KINDS.values():
        if kind.is_deleted:
            kind.model.delete_ended(at=now())
