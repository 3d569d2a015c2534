"""Second looks: candidates on which a judge and people disagree, sent to other raters."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from annotation.studies.models import Stage
from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import Candidate


class SecondLook(models.Model):
    """A second look at a run's disagreements, by a stage of the study that the set was frozen from.

    The judge is fixed before people look: `signature` is the run's, and each item has the judge's
    grade. ratings: how many were requested of each candidate.
    """

    run = models.OneToOneField(MetricRun, models.CASCADE, related_name="second_look")
    stage = models.ForeignKey(Stage, models.CASCADE, related_name="+")
    ratings = models.PositiveSmallIntegerField()
    signature = models.TextField()
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"second look at {self.run}"


class SecondLookItem(models.Model):
    """A candidate of a second look. grade: the judge's. gold: people's score, at that time."""

    look = models.ForeignKey(SecondLook, models.CASCADE, related_name="items")
    candidate = models.ForeignKey(Candidate, models.CASCADE, related_name="second_looks")
    grade = models.FloatField()
    gold = models.FloatField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["look", "candidate"], name="one_item_per_candidate"),
        ]

    def __str__(self) -> str:
        return f"second look at candidate {self.candidate_id}"
