"""Tags: why a metric and people, or two metrics, disagree about a candidate."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from benchmarks.runs.models import MetricRun
from benchmarks.sets.models import Candidate


class DisagreementTag(models.Model):
    """One person's reason for one disagreement; `other` is None where it is with people.

    The reasons with names are those that KPQA (5.4) and MOCHA (4.2) found; `OTHER` takes any words.
    """

    class Reason(models.TextChoices):
        UNIT = "unit", "weighs a unit, not the number"
        WEIGHTS = "weights", "weighs the wrong words"
        VAGUE = "vague", "no few words carry the answer"
        SAME_MEANING = "same meaning", "misses other words for the same"
        OPPOSITE = "opposite", "takes the opposite for the same"
        PASSAGE = "passage", "the passage would have told"
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
