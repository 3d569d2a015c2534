"""A file between its upload and the step in which its candidates are added, and that step."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from annotation.studies.models.studies import Study
from core.jobs.models import Job

# The file is read; its candidates are stored.
STEPS = 2


class Upload(models.Model):
    """A researcher's file that waits to be taken in; deleted when it is, or after a day.

    It lies in the database and not on a disk, since the next request may reach another machine.
    `columns` says, for a CSV, which columns hold what.
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


class CandidateImport(Job):
    """The candidates of an upload, being added to its study by a worker.

    `actor` is who acts while it is done, `name` the file's name. It is complete in the transaction
    that stores the candidates and deletes the upload, and only then: `counts` says what became of
    them. `draw_questions`: how many questions the study rates; null draws none.
    """

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
