"""Jobs that freeze studies: request, progress, and the set that was made."""

from __future__ import annotations

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse

from annotation.studies.models import Study
from benchmarks.sets.models import NAME_PATTERN, JudgmentSet
from core.jobs.models import LeasedJob

# Compute the gold scores, and write the version.
STEPS = 2


class Freezing(LeasedJob):
    """A job that freezes a study as the next version of the set `name`, or computes a preview.

    `actor`: who is recorded in the audit log. `preview`: the figures (`services.previews`), once
    computed. `judgment_set`: the version, made in the transaction that completes the job; None for
    a preview.
    """

    RESET = {"steps": 0, "preview": None}

    study = models.ForeignKey(Study, models.CASCADE, related_name="freezings")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    actor = models.JSONField()
    aggregation = models.CharField(max_length=20)
    stages = ArrayField(models.CharField(max_length=20))
    name = models.CharField(max_length=80, validators=[RegexValidator(rf"^{NAME_PATTERN}\Z")])
    is_preview = models.BooleanField(default=False)
    steps = models.PositiveSmallIntegerField(default=0)
    preview = models.JSONField(null=True)
    judgment_set = models.ForeignKey(JudgmentSet, models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["study", "aggregation", "stages", "name", "is_preview"],
                condition=Q(status__in=["queued", "running"]),
                name="one_active_freezing_per_choices",
            ),
        ]

    def __str__(self) -> str:
        return f"the freezing of {self.name}"

    def get_absolute_url(self) -> str:
        return reverse("study-freezing", args=[self.study.slug, self.pk])

    @property
    def progress(self) -> tuple[int, int]:
        return self.steps, STEPS
