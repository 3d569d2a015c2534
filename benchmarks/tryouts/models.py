"""Try-outs: one answer, typed in by a person, and what every metric says of it."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q


class TryOut(models.Model):
    """One answer to score, and the scores so far.

    `texts` are a `services.tryouts.Texts` as JSON, `metrics` the names to score it with, `scores` a
    row for each metric that is done, `weights` the words' weights once they are computed. The
    worker that scores it renews `lease_until`; `attempt` only grows and keeps a late worker from
    writing, `tries` counts attempts. Rows are deleted after a day.
    """

    class Status(models.TextChoices):
        QUEUED = "queued"
        RUNNING = "running"
        COMPLETE = "complete"
        FAILED = "failed"

    ACTIVE = (Status.QUEUED, Status.RUNNING)

    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="tryouts")
    texts = models.JSONField()
    metrics = models.JSONField()
    scores = models.JSONField(default=list)
    weights = models.JSONField(null=True)
    status = models.CharField(max_length=10, choices=Status, default=Status.QUEUED)
    reason = models.TextField(blank=True, help_text="Why it failed, for people.")
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
                name="open_tryouts",
            ),
        ]

    def __str__(self) -> str:
        return f"the try-out {self.pk}"

    @property
    def is_active(self) -> bool:
        return self.status in self.ACTIVE

    @property
    def percent(self) -> int:
        """Share of the metrics that are done in per cent, 100 only when complete."""
        if self.status == self.Status.COMPLETE:
            return 100
        return min(99, 100 * len(self.scores) // max(1, len(self.metrics)))
