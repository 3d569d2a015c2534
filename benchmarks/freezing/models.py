"""Jobs that freeze studies: request, progress, and the set that was made."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from core.jobs.models import Job, JsonValue

# Compute the gold scores, and write the version.
STEPS = 2


class Freezing(Job):
    """A job that freezes a study, its `target`, as the next version of the set `name`, or computes
    a preview.

    actor: who is recorded in the audit log. preview: the figures (`services.previews`), once
    computed. judgment_set: primary key of the version, made in the transaction that completes the
    job; None for a preview.
    """

    RESET = {"done": 0, "result": {}}

    actor = JsonValue[dict[str, Any]]("parameters")
    aggregation = JsonValue[str]("parameters")
    stages = JsonValue[list[str]]("parameters")
    name = JsonValue[str]("parameters")
    is_preview = JsonValue[bool]("parameters")
    preview = JsonValue[dict[str, Any] | None]("result")
    judgment_set = JsonValue[int | None]("result")

    class Meta:
        proxy = True

    def __str__(self) -> str:
        return f"the freezing of {self.name}"

    def get_absolute_url(self) -> str:
        return reverse("study-freezing", args=[self.target.slug, self.pk])
