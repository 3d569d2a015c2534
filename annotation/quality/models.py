"""The researcher's decisions on ratings. No decision deletes a rating."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from annotation.rating.models import Rating
from annotation.studies.models import Study, StudyCandidate
from concord.documents.set_reports import StepRow
from concord.protocols.criteria import NAME_CHARS


class LedgerStep(models.Model):
    """A filter or exclusion, in order. A step that was undone is kept, inactive."""

    study = models.ForeignKey(Study, models.CASCADE, related_name="ledger_steps")
    number = models.PositiveIntegerField()
    content = models.JSONField(help_text="The step in the format of concord.filtering.")
    note = models.TextField(blank=True)
    active = models.BooleanField(default=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT)
    made_at = models.DateTimeField()
    undone_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["study", "number"]
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="one_step_per_number"),
        ]

    def __str__(self) -> str:
        return f"step {self.number} of {self.study}"

    @property
    def content_without_texts(self) -> StepRow:
        """The content for what outlives an erasure: without the reason, which is about a person."""
        return {name: value for name, value in self.content.items() if name != "reason"}


class SpotCheck(models.Model):
    """A rating selected at random for the researcher to check."""

    class Verdict(models.TextChoices):
        OPEN = "open"
        GOOD = "good"
        POOR = "poor"

    rating = models.OneToOneField(Rating, models.CASCADE, related_name="spot_check")
    verdict = models.CharField(max_length=5, choices=Verdict, default=Verdict.OPEN)
    checked_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, null=True)
    checked_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"spot check of {self.rating}"


class Adjudication(models.Model):
    """A value set by a person where raters disagree; it replaces the aggregate.

    It is that of the main question, or of the criterion of this name, whose values are coded as in
    `concord.protocols.answers.coded`.
    """

    candidate = models.ForeignKey(StudyCandidate, models.CASCADE, related_name="adjudications")
    criterion = models.CharField(
        max_length=NAME_CHARS, blank=True, help_text="Name of the criterion; empty: the question."
    )
    value = models.FloatField()
    note = models.TextField(blank=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT)
    made_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["candidate", "criterion"], name="one_adjudication_per_question"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.candidate} settled at {self.value:g}"
