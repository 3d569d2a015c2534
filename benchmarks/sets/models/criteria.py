"""Criteria of judgment sets with their ratings, and error spans that raters marked."""

from __future__ import annotations

import numpy as np
from django.db import models
from numpy.typing import NDArray

from benchmarks.sets.models.judgments import Candidate, JudgmentSet, stored_scale


class CriterionManager(models.Manager["Criterion"]):
    """Defers the arrays of gold scores."""

    def get_queryset(self) -> models.QuerySet[Criterion]:
        return super().get_queryset().defer("gold_scores")


class Criterion(models.Model):
    """One thing that raters were asked about the candidates, besides the set's score.

    `gold_scores`: as those of the set, on this criterion.
    """

    judgment_set = models.ForeignKey(JudgmentSet, models.CASCADE, related_name="criteria")
    position = models.PositiveSmallIntegerField()
    name = models.CharField(max_length=500)
    scale_low = models.FloatField(null=True)
    scale_high = models.FloatField(null=True)
    words = models.JSONField(null=True)
    gold_scores = models.BinaryField()

    objects = CriterionManager()

    class Meta:
        ordering = ["position"]
        base_manager_name = "objects"
        verbose_name_plural = "criteria"
        constraints = [
            models.UniqueConstraint(fields=["judgment_set", "name"], name="one_criterion_per_name"),
            models.UniqueConstraint(
                fields=["judgment_set", "position"], name="one_criterion_per_position"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def scale(self) -> tuple[float, float] | None:
        """The lowest and the highest value; None where it is unknown."""
        return stored_scale(self)

    @property
    def gold_array(self) -> NDArray[np.float64]:
        """The gold scores by position of the candidates, NaN without a judgment, read-only."""
        return np.frombuffer(bytes(self.gold_scores), dtype="<f8")


class CriterionRating(models.Model):
    """One worker's value for one candidate on a criterion; otherwise as `Rating`."""

    criterion = models.ForeignKey(Criterion, models.CASCADE, related_name="ratings")
    candidate = models.ForeignKey(Candidate, models.CASCADE, related_name="criterion_ratings")
    position = models.PositiveSmallIntegerField()
    worker = models.CharField(max_length=500)
    group = models.CharField(max_length=500, blank=True)
    value = models.FloatField()
    simulated = models.BooleanField(default=False)

    class Meta:
        ordering = ["candidate", "criterion", "position"]
        constraints = [
            models.UniqueConstraint(
                fields=["candidate", "criterion", "group", "worker"],
                name="one_rating_per_worker_and_criterion",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.criterion}: {self.value:g}"


class Marks(models.Model):
    """The error spans that one worker marked in a candidate; an empty list: no error.

    `spans`: as the lists `spans` of the format concord.
    """

    candidate = models.ForeignKey(Candidate, models.CASCADE, related_name="marks")
    position = models.PositiveSmallIntegerField()
    worker = models.CharField(max_length=500)
    group = models.CharField(max_length=500, blank=True)
    simulated = models.BooleanField(default=False)
    spans = models.JSONField()

    class Meta:
        ordering = ["candidate", "position"]
        verbose_name_plural = "marks"
        constraints = [
            models.UniqueConstraint(
                fields=["candidate", "group", "worker"], name="one_worker_marks_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{len(self.spans)} spans"
