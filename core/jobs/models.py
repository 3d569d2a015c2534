"""Rows that one worker at a time works on, under a lease.

The worker renews `lease_until` while it works. When the lease expires, another worker may take the
row. Each new attempt increases `attempt`, so that a late worker cannot write.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, ClassVar, Generic, Self, TypeVar, overload

from django.conf import settings
from django.contrib.contenttypes.fields import GenericForeignKey
from django.contrib.contenttypes.models import ContentType
from django.db import models, transaction
from django.db.models import Q, QuerySet

from core.jobs import leases

MAX_TRIES = 3
ENDED_KEPT_FOR = timedelta(days=30)


class Leased(models.Model):
    """A row with a lease. Subclasses name the statuses of a waiting row and of a held row."""

    WAITING: ClassVar[str]
    HELD: ClassVar[str]

    attempt = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)

    class Meta:
        abstract = True

    @property
    def held(self) -> QuerySet[Self]:
        """A query for this row; empty once the row has ended or another attempt holds it."""
        rows: QuerySet[Self] = type(self)._default_manager.filter(
            pk=self.pk, attempt=self.attempt, status=self.HELD
        )
        return rows


class Retryable(Leased):
    """A leased row whose task is sent again when it was lost.

    `tries` counts the attempts; `sent_at` is when a task was last sent.
    """

    tries = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(help_text="When a task was last sent for it.")

    class Meta:
        abstract = True

    @property
    def is_exhausted(self) -> bool:
        """Whether too many attempts have failed to try again."""
        return self.tries > MAX_TRIES

    @property
    def exhausted_reason(self) -> str:
        """Why an exhausted row is not tried again, for people."""
        return f"Its worker died {MAX_TRIES} times; see the worker's log."


class BaseJob(models.Model):
    """Work that somebody requested: queued, run by a worker, ended with a result or a reason.

    A refused job found that its data do not suffice; a failed one met an error.

    Two processes may call any method at once: it takes effect once. Nothing here sends a task;
    callers do.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        COMPLETE = "complete"
        FAILED = "failed"
        REFUSED = "refused", "not enough data"
        CANCELLED = "cancelled"

    ACTIVE = (Status.QUEUED, Status.RUNNING)

    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    reason = models.TextField(blank=True, help_text="Why it failed, for people.")
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True

    @property
    def is_active(self) -> bool:
        return self.status in self.ACTIVE

    @property
    def progress(self) -> tuple[int, int]:
        """The number of finished units and of all units; (0, 0) while it is unknown."""
        raise NotImplementedError

    @property
    def percent(self) -> int:
        """Progress in per cent; 100 only when the job is complete."""
        if self.status == self.Status.COMPLETE:
            return 100
        done, total = self.progress
        return min(99, 100 * done // total) if total else 0

    @classmethod
    def requested(cls) -> QuerySet[Self]:
        """The jobs whose work was asked for: all but drafts."""
        rows: QuerySet[Self] = cls._default_manager.all()
        return rows

    @property
    def active(self) -> QuerySet[Self]:
        """A query for this row; empty once it has ended."""
        return type(self)._default_manager.filter(pk=self.pk, status__in=self.ACTIVE)

    @property
    def held(self) -> QuerySet[Self]:
        """A query for this row; empty for a worker that must not end it."""
        return self.active

    def complete(self, *, at: datetime, **result: object) -> bool:
        """End with a result. False: it has ended, or another attempt holds it."""
        return self._move(self.held, self.Status.COMPLETE, "", at, **result)

    def fail(self, reason: str, *, at: datetime, **fields: object) -> bool:
        """End with a reason that people can read. False: as in `complete`."""
        return self._move(self.held, self.Status.FAILED, reason, at, **fields)

    def refuse(self, reason: str, *, at: datetime) -> bool:
        """End because the data do not suffice; the reason says what is missing. False: as in
        `complete`."""
        return self._move(self.held, self.Status.REFUSED, reason, at)

    def cancel(self, *, at: datetime, reason: str = "Stopped by hand.") -> bool:
        """Stop the job. False: it has already ended."""
        return self._move(self.active, self.Status.CANCELLED, reason, at)

    def _queue_again(self, **reset: object) -> bool:
        statuses = (self.Status.FAILED, self.Status.REFUSED, self.Status.CANCELLED)
        ended = type(self)._default_manager.filter(pk=self.pk, status__in=statuses)
        return self._move(ended, self.Status.QUEUED, "", None, **reset)

    def _move(
        self, row: QuerySet[Self], status: str, reason: str, at: datetime | None, **fields: object
    ) -> bool:
        """Change `row`, this one or none, and this object with it."""
        is_moved = bool(row.update(status=status, reason=reason, finished_at=at, **fields))
        if is_moved:
            self.status, self.reason, self.finished_at = status, reason, at
        return is_moved


class LeasedJob(Retryable, BaseJob):
    """A job that one worker at a time does, under a lease.

    Only the worker that holds it may end it, except that anybody may cancel it.
    """

    WAITING, HELD = BaseJob.Status.QUEUED, BaseJob.Status.RUNNING
    RESET: ClassVar[Mapping[str, object]] = {}  # values of fields in a new attempt

    class Meta:
        abstract = True

    @classmethod
    def claim(cls, pk: int, *, at: datetime, **reset: object) -> Self | None:
        """Take the lease. Returns None when the job is held, has ended or is a draft.

        reset: fields that get a new value with the new attempt. The caller must fail a job that
        `is_exhausted`.
        """
        rows = cls.requested().filter(pk=pk)
        # Read the row in the same transaction. Otherwise the job could be stopped, queued and taken
        # again in between, and the row would belong to another attempt.
        with transaction.atomic():
            return rows.get() if leases.take(rows, at=at, **reset) else None

    def advance(self, *, at: datetime, **progress: object) -> bool:
        """Store progress and renew the lease. False: stopped, or held by another attempt."""
        return bool(self.held.update(lease_until=at + leases.length(), **progress))

    def queue_again(self, *, at: datetime, **reset: object) -> bool:
        """Queue a failed, refused or stopped job again. False: the job is none of these."""
        return self._queue_again(tries=0, sent_at=at, **reset)

    @classmethod
    def stale(
        cls, *, at: datetime, unclaimed_for: timedelta = leases.MESSAGE_LOST_AFTER
    ) -> list[int]:
        """The primary keys of jobs to send again (see `leases.stale`)."""
        return leases.stale(cls.requested(), at=at, unclaimed_for=unclaimed_for)

    @classmethod
    def delete_ended(cls, *, at: datetime) -> int:
        """Delete the jobs that ended more than ENDED_KEPT_FOR ago; how many rows went."""
        old = cls._default_manager.filter(finished_at__lt=at - ENDED_KEPT_FOR)
        return old.delete()[0]

    def _move(
        self, row: QuerySet[Self], status: str, reason: str, at: datetime | None, **fields: object
    ) -> bool:
        return super()._move(row, status, reason, at, lease_until=None, **fields)


JobType = TypeVar("JobType", bound="Job")


class JobManager(models.Manager[JobType]):
    """Selects the jobs of the model's kind."""

    def get_queryset(self) -> QuerySet[JobType]:
        jobs = super().get_queryset()
        return jobs.filter(kind=self.model.kind_name()) if self.model._meta.proxy else jobs

    def of(self, target: models.Model) -> QuerySet[JobType]:
        """The jobs about this object."""
        type = ContentType.objects.get_for_model(target)
        return self.filter(target_type=type, target_id=target.pk)


class Job(LeasedJob):
    """A job of any kind. A kind is a proxy of this model with a `JobKind`.

    by: who requested it; None for work that several people share. target: what it is about; its
    jobs are deleted with it where its model has a GenericRelation. parameters: what was requested,
    which determines the work. done, total: the progress, in units of the kind. result: what the
    work found, also in part.
    """

    RESET = {"done": 0}

    kind = models.CharField(max_length=40)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, null=True, related_name="+")
    target_type = models.ForeignKey(ContentType, models.CASCADE, null=True, related_name="+")
    target_id = models.BigIntegerField(null=True)
    target: Any = GenericForeignKey("target_type", "target_id")
    parameters = models.JSONField(default=dict)
    done = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(default=0)
    result = models.JSONField(default=dict)

    objects = JobManager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        indexes = [
            models.Index(fields=["target_type", "target_id", "kind"], name="jobs_of_a_target"),
            models.Index(
                fields=["lease_until", "sent_at"],
                condition=Q(status__in=["queued", "running"]),
                name="open_jobs",
            ),
        ]

    def save(self, *args: Any, **options: Any) -> None:  # noqa: ANN401 - as Django declares it
        self.kind = self.kind or self.kind_name()
        super().save(*args, **options)

    @classmethod
    def kind_name(cls) -> str:
        """The name of the kind in the table."""
        return str(cls._meta.model_name)

    @property
    def progress(self) -> tuple[int, int]:
        return self.done, self.total


Value = TypeVar("Value")


class JsonValue(Generic[Value]):
    """A value that a kind of job has in its `parameters` or its `result`, by its own name."""

    def __init__(self, column: str, default: Value | None = None) -> None:
        self._column, self._default = column, default

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, job: None, owner: type) -> Self: ...
    @overload
    def __get__(self, job: Job, owner: type) -> Value: ...
    def __get__(self, job: Job | None, owner: type) -> Self | Value:
        if job is None:
            return self
        value: Value = getattr(job, self._column).get(self._name, self._default)
        return value
