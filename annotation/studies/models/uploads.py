"""Uploaded files of candidates, and the jobs that import them."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from annotation.studies.models.studies import Study
from core.jobs.models import LeasedJob

# Reading the file and storing its candidates.
STEPS = 2


class Upload(models.Model):
    """A researcher's file of candidates; deleted when they are added, or after a day.

    The file is stored in the database, not on a disk, because another machine may handle the next
    request. `columns` has the header, first rows and sheets of a table, the chosen sheet, and the
    meanings of its columns.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="uploads")
    name = models.CharField(max_length=200)
    format = models.CharField(max_length=40)
    use = models.CharField(max_length=20)
    content = models.BinaryField(help_text="Compressed with zlib.")
    columns = models.JSONField(null=True)
    made_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ["-created_at"]

    def __str__(self) -> str:
        return f"{self.name} for {self.study}"


class CandidateImport(LeasedJob):
    """A job that adds the candidates of an upload to its study.

    `actor` is the actor for the audit log. `name` is the file's name. The transaction that stores
    the candidates also deletes the upload, sets `counts` and completes the job. `draw_questions` is
    the number of questions to rate; null keeps all.
    """

    RESET = {"steps": 0}

    study = models.ForeignKey(Study, models.CASCADE, related_name="candidate_imports")
    upload = models.ForeignKey(Upload, models.SET_NULL, null=True, related_name="imports")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    actor = models.JSONField()
    name = models.CharField(max_length=200)
    span_based = models.JSONField(default=list)
    draw_questions = models.PositiveIntegerField(null=True)
    steps = models.PositiveSmallIntegerField(default=0)
    counts = models.JSONField(null=True)

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["upload"],
                condition=Q(status__in=["queued", "running"]),
                name="one_active_import_per_upload",
            ),
        ]

    def __str__(self) -> str:
        return f"the import of {self.name}"

    def get_absolute_url(self) -> str:
        return reverse("study-candidate-import", args=[self.study.slug, self.pk])

    @property
    def progress(self) -> tuple[int, int]:
        return self.steps, STEPS
