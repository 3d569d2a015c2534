"""Imports of judgment sets, which workers do."""

from __future__ import annotations

import builtins

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse

from benchmarks.sets.models import NAME_PATTERN, JudgmentSet
from concord.formats import Problem
from concord.formats.faulty_rows import FaultyRow, faulty_rows
from core.jobs.models import LeasedJob


class SetImport(LeasedJob):
    """An import of files as the next version of the set `name`.

    `parameters`: `services.ImportParameters` as JSON. `actor`: who is recorded in the audit log.
    `files`: names and sizes in order, and whether a file has `pairs` or `texts`; others have
    judgments. `judgment_set`: the version, made in the transaction that completes the import. A
    failed import has a `reason`, the type of its `problem`, the first `faults` of the files (a
    `Problem` as JSON each), and how many more there are. A draft waits for its account: until the
    columns of its table are chosen, where `table` is the table's `Preview`, or until what was
    understood of its first file, `inspection` (an `Inspection` without records), is confirmed. No
    worker takes a draft.
    """

    DRAFT = "draft"
    RESET = {"rows": 0, "bytes_read": 0}

    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="set_imports")
    actor = models.JSONField()
    name = models.CharField(max_length=80, validators=[RegexValidator(rf"^{NAME_PATTERN}\Z")])
    format = models.CharField(max_length=40)
    parameters = models.JSONField()
    files = models.JSONField()
    rows = models.PositiveIntegerField(default=0, help_text="Candidates and pairs read so far.")
    bytes_read = models.PositiveBigIntegerField(default=0)
    bytes_total = models.PositiveBigIntegerField()
    problem = models.CharField(max_length=40, blank=True)
    faults = models.JSONField(default=list)
    hidden_faults = models.PositiveIntegerField(default=0)
    table = models.JSONField(null=True)
    inspection = models.JSONField(null=True)
    judgment_set = models.ForeignKey(
        JudgmentSet, models.SET_NULL, null=True, blank=True, related_name="imports"
    )

    class Meta:
        ordering = ["-created_at", "-pk"]
        indexes = [
            models.Index(
                fields=["lease_until", "sent_at"],
                condition=Q(status__in=["queued", "running"]),
                name="open_set_imports",
            ),
        ]

    def __str__(self) -> str:
        return f"the import of {self.name}"

    def get_absolute_url(self) -> str:
        return reverse("set-import", args=[self.pk])

    @property
    def is_draft(self) -> bool:
        return self.status == self.DRAFT

    @property
    def has_files(self) -> bool:
        """Whether it failed and its files are still stored, so that it can be imported again."""
        return self.status == self.Status.FAILED and self.parts.exists()

    @property
    def is_read(self) -> bool:
        """Whether all files are read and the rows are being written."""
        return self.status == self.Status.RUNNING and self.bytes_read == self.bytes_total

    def faulty_rows(self) -> list[FaultyRow]:
        """The rows of the files that have the first faults."""
        return faulty_rows([Problem(**fault) for fault in self.faults])

    @property
    def progress(self) -> tuple[int, int]:
        """Bytes read, and bytes in all."""
        return self.bytes_read, self.bytes_total


class SetImportPart(models.Model):
    """A part of an uploaded file, stored in the database so that any worker can read it. It is
    deleted when the import ends; that of a failed one stays a while, to be imported again."""

    set_import = models.ForeignKey(SetImport, models.CASCADE, related_name="parts")
    file = models.PositiveSmallIntegerField()
    position = models.PositiveIntegerField()
    content = models.BinaryField()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["set_import", "file", "position"], name="one_part_per_position"
            ),
        ]

    def __str__(self) -> str:
        return f"part {self.position} of file {self.file} of import {self.set_import_id}"

    @property
    def bytes(self) -> builtins.bytes:
        """The content as bytes; psycopg returns a memoryview."""
        return builtins.bytes(self.content)
