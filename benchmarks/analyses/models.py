"""Analyses: stored statistics of a set and its metric runs."""

from __future__ import annotations

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from benchmarks.sets.models import JudgmentSet
from core.jobs.models import LeasedJob


class Analysis(LeasedJob):
    """A computation, with everything that determines its result.

    kind: its name in `KINDS`. parameters: with the seed. runs: primary keys of the metric runs it
    reads. fingerprint: hash of these and of the code's revision; equal requests have the same
    analysis. done, total: its progress in steps.
    """

    RESET = {"done": 0}

    judgment_set = models.ForeignKey(JudgmentSet, models.CASCADE, related_name="analyses")
    kind = models.CharField(max_length=40)
    parameters = models.JSONField()
    runs = ArrayField(models.BigIntegerField())
    fingerprint = models.CharField(max_length=64)
    done = models.PositiveIntegerField(default=0)
    total = models.PositiveIntegerField(default=0)
    result = models.JSONField(null=True)
    seconds = models.FloatField(default=0.0)

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
    def progress(self) -> tuple[int, int]:
        """Completed steps and all steps."""
        return self.done, self.total
