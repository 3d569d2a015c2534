"""Try-outs: one answer, typed in by a person, and what every metric says of it."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from core.jobs.models import Job


class TryOut(Job):
    """One answer to score, and the scores so far.

    `texts` are a `services.tryouts.Texts` as JSON, `metrics` the names to score it with, `scores` a
    row for each metric that is done, `weights` the words' weights once they are computed. The
    worker that scores it renews `lease_until`; `attempt` only grows and keeps a late worker from
    writing, `tries` counts attempts. Rows are deleted after a day.
    """

    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="tryouts")
    texts = models.JSONField()
    metrics = models.JSONField()
    scores = models.JSONField(default=list)
    weights = models.JSONField(null=True)

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
    def progress(self) -> tuple[int, int]:
        """Metrics."""
        return len(self.scores), len(self.metrics)
