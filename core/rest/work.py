"""What the API says of work that a worker does."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from core.jobs.models import Job


class WorkDocument(serializers.Serializer[Any]):
    """What all long work says of itself."""

    id = serializers.IntegerField(source="pk")
    status = serializers.ChoiceField(Job.Status.choices)
    percent = serializers.IntegerField(min_value=0, max_value=100)
    reason = serializers.CharField(help_text="Why it failed or stopped; else empty.")
    created_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)
