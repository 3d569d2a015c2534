"""Imports of judgment sets: files on their way into a set, by a worker."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse

from benchmarks.sets.models import NAME_PATTERN, JudgmentSet


class SetImport(models.Model):
    """Files to become a version of the set `name`, who sent them and how far they are.

    `given` is what was asked for besides (`services.imports.Given`), `actor` who acts while it is
    done, `files` their names and bytes in order. It is complete in the transaction that makes the
    version, and only then: `judgment_set` is that version. One that failed has its `reason` for
    people, what kind of `problem` it was, and the first `faults` of the files. The worker that
    holds it renews `lease_until`; `attempt` only grows and keeps a late one from writing, `tries`
    counts attempts, since one that dies begins again.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        COMPLETE = "complete"
        FAILED = "failed"
        CANCELLED = "cancelled"

    ACTIVE = (Status.QUEUED, Status.RUNNING)

    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="set_imports")
    actor = models.JSONField()
    name = models.CharField(max_length=80, validators=[RegexValidator(rf"^{NAME_PATTERN}\Z")])
    format = models.CharField(max_length=40)
    given = models.JSONField()
    files = models.JSONField()
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    rows = models.PositiveIntegerField(default=0, help_text="Candidates and pairs read so far.")
    bytes_read = models.PositiveBigIntegerField(default=0)
    bytes_total = models.PositiveBigIntegerField()
    reason = models.TextField(blank=True, help_text="Why it failed, for people.")
    problem = models.CharField(max_length=40, blank=True)
    faults = models.JSONField(default=list)
    judgment_set = models.ForeignKey(
        JudgmentSet, models.SET_NULL, null=True, blank=True, related_name="imports"
    )
    attempt = models.PositiveIntegerField(default=0)
    tries = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(help_text="When a task was last sent for it.")
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        indexes = [
            models.Index(
                fields=["lease_until", "sent_at"],
                condition=Q(status__in=["queued", "running"]),
                name="open_set_imports",
            ),
        ]

    def __str__(self) -> str:
        return f"the import of {self.name}"

    def get_absolute_url(self) -> str:
        return reverse("set-import", args=[self.pk])

    @property
    def is_active(self) -> bool:
        return self.status in self.ACTIVE

    @property
    def is_read(self) -> bool:
        """Whether its files are read to their ends, and their rows on the way into the tables."""
        return self.status == self.Status.RUNNING and self.bytes_read == self.bytes_total

    @property
    def percent(self) -> int:
        """How much of its files is read, in per cent; 100 only when it is complete."""
        if self.status == self.Status.COMPLETE:
            return 100
        return min(99, 100 * self.bytes_read // self.bytes_total) if self.bytes_total else 0


class SetImportPart(models.Model):
    """A piece of a file, in the database, where workers of any machine reach it; gone when the
    import ends."""

    set_import = models.ForeignKey(SetImport, models.CASCADE, related_name="parts")
    file = models.PositiveSmallIntegerField()
    position = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["set_import", "file", "position"], name="one_part_per_position"
            ),
        ]

    def __str__(self) -> str:
        return f"part {self.position} of file {self.file} of import {self.set_import_id}"

    @property
    def bytes(self) -> Any:
        """The content; psycopg hands out memoryviews."""
        return bytes(self.content)
