"""Analyses: statistics over a set and its metric runs that take longer than a page may."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from benchmarks.sets.models import JudgmentSet


class Analysis(models.Model):
    """One computation, asked for once and kept with all that fixes its result.

    `kind` says which, `parameters` (its seed among them) what was asked, `runs` the metric runs it
    reads, by primary key. `fingerprint` hashes these with the revision of the code that computes
    it: asked for again, the same analysis is found, not made. `done` of `total` is its progress.
    The worker that holds it renews `lease_until`; `attempt` only grows and keeps a late one from
    writing, `tries` counts attempts since it was last asked for.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        COMPLETE = "complete"
        FAILED = "failed"
        CANCELLED = "cancelled"

    ACTIVE = (Status.QUEUED, Status.RUNNING)

    judgment_set = models.ForeignKey(JudgmentSet, models.CASCADE, related_name="analyses")
    kind = models.CharField(max_length=40)
    parameters = models.JSONField()
    runs = ArrayField(models.BigIntegerField())
    fingerprint = models.CharField(max_length=64)
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    reason = models.TextField(blank=True, help_text="Why it failed, for people.")
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    attempt = models.PositiveIntegerField(default=0)
    tries = models.PositiveSmallIntegerField(default=0)
    lease_until = models.DateTimeField(null=True)
    sent_at = models.DateTimeField(help_text="When a task was last sent for it.")
    result = models.JSONField(null=True)
    seconds = models.FloatField(default=0.0)
    created_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["created_at", "pk"]
        verbose_name_plural = "analyses"
        constraints = [
            models.UniqueConstraint(
                fields=["judgment_set", "fingerprint"], name="one_analysis_per_fingerprint"
            ),
            models.CheckConstraint(
                condition=~Q(status="complete") | Q(result__isnull=False),
                name="a_complete_analysis_has_a_result",
            ),
        ]
        indexes = [
            models.Index(fields=["status", "lease_until", "sent_at"], name="open_analyses"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.judgment_set}"

    @property
    def is_active(self) -> bool:
        return self.status in self.ACTIVE

    @property
    def percent(self) -> int:
        """Progress in per cent, 100 only when complete."""
        if self.status == self.Status.COMPLETE:
            return 100
        return min(99, 100 * self.done // self.total) if self.total else 0
