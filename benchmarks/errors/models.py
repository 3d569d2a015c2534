"""Models about one candidate: tags of disagreements and the importance of words."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import Candidate
from core.jobs.models import LeasedJob
from scorers.word_importance import STEPS


class DisagreementTag(models.Model):
    """One person's reason for one disagreement; `other` is None for a disagreement with people.

    The reasons come from KPQA (5.4) and MOCHA (4.2); `OTHER` needs a note.
    """

    class Reason(models.TextChoices):
        UNIT = "unit", "gives weight to the unit, not the number"
        WEIGHTS = "weights", "gives weight to the wrong words"
        VAGUE = "vague", "the answer has no keyphrase"
        SAME_MEANING = "same meaning", "misses a paraphrase"
        OPPOSITE = "opposite", "treats an opposite as the same"
        PASSAGE = "passage", "only the passage shows who is right"
        REFERENCE = "reference", "the reference is wrong or too narrow"
        PEOPLE = "people", "people seem to be wrong"
        OTHER = "other", "something else"

    candidate = models.ForeignKey(Candidate, models.CASCADE, related_name="tags")
    run = models.ForeignKey(MetricRun, models.CASCADE, related_name="tags")
    other = models.ForeignKey(MetricRun, models.CASCADE, null=True, related_name="tags_against")
    reason = models.CharField(max_length=20, choices=Reason)
    note = models.CharField(max_length=500, blank=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["candidate", "run", "other", "reason", "user"],
                nulls_distinct=False,
                name="one_tag_per_reason_and_person",
            ),
            models.CheckConstraint(
                condition=~Q(reason="other") | ~Q(note=""), name="something_else_is_said"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.reason} on {self.candidate_id}"


class WordWeights(LeasedJob):
    """The importance of the words of a candidate and its references, computed once.

    computed_by: a hash of the models' signatures. maps: the heat maps as JSON.
    """

    candidate = models.OneToOneField(Candidate, models.CASCADE, related_name="word_weights")
    computed_by = models.CharField(max_length=64)
    steps = models.PositiveSmallIntegerField(default=0)
    maps = models.JSONField(null=True)

    def __str__(self) -> str:
        return f"the word weights of candidate {self.candidate_id}"

    @property
    def progress(self) -> tuple[int, int]:
        return self.steps, STEPS + 1  # the last step is drawing the maps
