"""A file between its upload and its being taken in, for the step in which columns are chosen."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from annotation.studies.models.studies import Study


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
