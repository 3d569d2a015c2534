"""Rows that one worker at a time works on, under a lease.

The worker that holds a row renews `lease_until` while it works. Once the lease lapses, another may
take the row. `attempt` only grows, so that a worker that comes late cannot write.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any, ClassVar, Self

from django.db import models, transaction
from django.db.models import QuerySet

from core.jobs import leases

MAX_TRIES = 3
ENDED_KEPT_FOR = timedelta(days=30)


class Leased(models.Model):
    """A row under a lease. Subclasses name the status of a row that waits and of one held."""

    WAITING: ClassVar[str]
    HELD: ClassVar[str]

    attempt = models.PositiveIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)

    class Meta:
        abstract = True

    @property
    def held(self) -> QuerySet[Self]:
        """The row as a query, empty once it has ended or another attempt holds it."""
        rows: QuerySet[Self] = type(self)._default_manager.filter(
            pk=self.pk, attempt=self.attempt, status=self.HELD
        )
        return rows


class Tried(Leased):
    """A leased row whose tasks are sent again: how often it was tried, and when a task was last
    sent for it."""

    tries = models.PositiveSmallIntegerField(default=0)
    sent_at = models.DateTimeField(help_text="When a task was last sent for it.")

    class Meta:
        abstract = True

    @property
    def is_exhausted(self) -> bool:
        """Whether its workers died so often that it is not tried again."""
        return self.tries > MAX_TRIES


class Job(Tried):
    """Work that somebody asked for: queued, done by a worker, and ended with a result or a reason.

    Every step may be taken twice, by two processes at once: it works once. Nothing here sends a
    task; callers do.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        COMPLETE = "complete"
        FAILED = "failed"
        CANCELLED = "cancelled"

    ACTIVE = (Status.QUEUED, Status.RUNNING)
    WAITING, HELD = Status.QUEUED, Status.RUNNING

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
        """How much is done, of how much in all; (0, 0) before that is known."""
        raise NotImplementedError

    @property
    def percent(self) -> int:
        """Progress in per cent, 100 only when complete."""
        if self.status == self.Status.COMPLETE:
            return 100
        done, total = self.progress
        return min(99, 100 * done // total) if total else 0

    @classmethod
    def claim(cls, pk: int, *, at: datetime, **reset: Any) -> Self | None:
        """Take the lease; None when it is held or has ended. `reset` are fields that begin anew.

        The caller fails a job that `is_exhausted`.
        """
        rows = cls._default_manager.filter(pk=pk)
        # Read before others see the lease: it could be stopped, queued and taken again meanwhile,
        # and the row read would be that of the other's attempt.
        with transaction.atomic():
            return rows.get() if leases.take(rows, at=at, **reset) else None

    def advance(self, *, at: datetime, **progress: Any) -> bool:
        """Store progress and renew the lease; False when it is stopped or another attempt's."""
        return bool(self.held.update(lease_until=at + leases.length(), **progress))

    def complete(self, *, at: datetime, **result: Any) -> bool:
        """End it with a result; False when it is stopped or another attempt's."""
        return self._end(self.Status.COMPLETE, "", at, result)

    def fail(self, reason: str, *, at: datetime, **fields: Any) -> bool:
        """End it with a reason that a person can read; False likewise."""
        return self._end(self.Status.FAILED, reason, at, fields)

    def cancel(self, *, at: datetime) -> bool:
        """Stop it; False when it has ended."""
        active = type(self)._default_manager.filter(pk=self.pk, status__in=self.ACTIVE)
        return bool(
            active.update(
                status=self.Status.CANCELLED,
                reason="Stopped by hand.",
                lease_until=None,
                finished_at=at,
            )
        )

    def queue_again(self, *, at: datetime, **reset: Any) -> bool:
        """Queue a failed or stopped one again; False for another."""
        ended = type(self)._default_manager.filter(
            pk=self.pk, status__in=(self.Status.FAILED, self.Status.CANCELLED)
        )
        return bool(
            ended.update(
                status=self.Status.QUEUED, reason="", tries=0, finished_at=None, sent_at=at, **reset
            )
        )

    @classmethod
    def stale(
        cls, *, at: datetime, unclaimed_for: timedelta = leases.MESSAGE_LOST_AFTER
    ) -> list[int]:
        """The jobs to send again (see `leases.stale`)."""
        return leases.stale(cls._default_manager.all(), at=at, unclaimed_for=unclaimed_for)

    @classmethod
    def delete_ended(cls, *, at: datetime) -> int:
        """Delete the jobs that ended more than ENDED_KEPT_FOR ago; how many rows went."""
        old = cls._default_manager.filter(finished_at__lt=at - ENDED_KEPT_FOR)
        return old.delete()[0]

    def _end(self, status: str, reason: str, at: datetime, fields: dict[str, Any]) -> bool:
        ended = self.held.update(
            status=status, reason=reason, lease_until=None, finished_at=at, **fields
        )
        return bool(ended)
