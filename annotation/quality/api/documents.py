"""API documents of ratings."""

from __future__ import annotations

from rest_framework import serializers

from annotation.rating.models import Rating


class StudyRatingDocument(serializers.Serializer[Rating]):
    """One worker's value for one candidate."""

    id = serializers.IntegerField(source="pk")
    candidate = serializers.CharField(source="candidate.key")
    worker = serializers.CharField(
        source="worker.name", help_text="The worker's name in the study."
    )
    stage = serializers.CharField(source="assignment.hit.stage.kind")
    value = serializers.IntegerField(
        allow_null=True, help_text="Null if the worker could not judge."
    )
    shown = serializers.ListField(
        child=serializers.IntegerField(),
        help_text="Order in which compared candidates were shown, from 1; else empty.",
    )
    answers = serializers.DictField(help_text="Answers to the protocol's criteria, by name.")
    comment = serializers.CharField()
    seconds = serializers.FloatField(allow_null=True)
    simulated = serializers.BooleanField()
    created_at = serializers.DateTimeField()
