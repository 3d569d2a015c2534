"""Try-outs: one answer that a person enters, and its scores."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from core.jobs.models import LeasedJob


class TryOut(LeasedJob):
    """One answer to score, and the scores so far.

    `texts`: `services.Texts` as JSON. `metrics`: names. `scores`: a row for each finished metric.
    `weights`: the word weights, once computed. Rows are deleted after a day.
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
        """Finished metrics, and metrics in all."""
        return len(self.scores), len(self.metrics)
