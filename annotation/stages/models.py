"""How a stage chooses what people rate: its sampling rule, and each candidate's probabilities."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q

from annotation.studies.models import Stage, StudyCandidate
from concord.sampling import SamplingRule, StoppingRule

METRIC_CHARS = 500
DEFAULT_WAVE = 50
MAX_WAVE = 2**31 - 1  # the largest integer of the column


class StageSampling(models.Model):
    """The sampling rule of a full stage; fixed once the first wave is drawn.

    rule, stopping: the fields of `SamplingRule` and `StoppingRule`. seed, and the ids of units,
    decide the draws. metrics: the names of the scores of each `CandidateDraw`. looks: what was
    known after each wave, in order.
    """

    stage = models.OneToOneField(Stage, models.CASCADE, related_name="sampling")
    rule = models.JSONField()
    stopping = models.JSONField()
    wave_size = models.PositiveIntegerField(help_text="Expected number of units of a wave.")
    seed = models.BigIntegerField()
    metrics = ArrayField(models.CharField(max_length=METRIC_CHARS))
    looks = models.JSONField(default=list)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    problem = models.TextField(blank=True, help_text="Why it cannot go on; empty if it can.")
    problem_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"sampling of {self.stage}"

    @property
    def sampling_rule(self) -> SamplingRule:
        return SamplingRule(**self.rule | {"systems": tuple(self.rule["systems"])})

    @property
    def stopping_rule(self) -> StoppingRule:
        return StoppingRule(**self.stopping)


class CandidateDraw(models.Model):
    """A candidate's scores and inclusion probabilities; fields as in `SamplingRecord`."""

    sampling = models.ForeignKey(StageSampling, models.CASCADE, related_name="draws")
    candidate = models.OneToOneField(StudyCandidate, models.CASCADE, related_name="draw")
    unit = models.CharField(max_length=1000)
    scores = ArrayField(models.FloatField())
    probabilities = ArrayField(models.FloatField(), default=list)
    drawn = models.PositiveSmallIntegerField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(drawn__isnull=True) | Q(probabilities__len=F("drawn")),
                name="drawn_in_the_last_of_its_waves",
            ),
        ]
        indexes = [models.Index(fields=["sampling", "unit"], name="units_of_a_sampling")]

    def __str__(self) -> str:
        return f"draw of {self.candidate}"
