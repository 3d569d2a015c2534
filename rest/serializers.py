"""Base classes for what comes in: nothing unknown is passed over in silence."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers


class Strict(serializers.Serializer[Any]):
    """A body or a query whose fields are all known; another one is refused by its name."""

    def to_internal_value(self, data: Any) -> Any:
        known = super().to_internal_value(data)
        unknown = sorted(set(data) - set(self.fields))
        if unknown:
            message = f"There is no such field; there are: {', '.join(self.fields) or 'none'}."
            raise serializers.ValidationError({name: [message] for name in unknown})
        return known


class Paged(Strict):
    """What every list takes."""

    limit = serializers.IntegerField(
        min_value=1, max_value=200, required=False, help_text="How many at most; 50 by default."
    )
    cursor = serializers.CharField(
        required=False, max_length=2000, help_text="From `next` of the page before."
    )


class FaultDocument(serializers.Serializer[Any]):
    """One thing that is wrong with a request."""

    field = serializers.CharField(help_text="Path of the field; empty for the whole.")
    detail = serializers.CharField()
    file = serializers.CharField(required=False, help_text="The uploaded file at fault.")
    line = serializers.IntegerField(required=False, allow_null=True)


class ProblemDocument(serializers.Serializer[Any]):
    """RFC 9457: what went wrong, and what to do next."""

    type = serializers.CharField(help_text="Address of the description of this kind of problem.")
    title = serializers.CharField()
    status = serializers.IntegerField()
    detail = serializers.CharField()
    instance = serializers.CharField(help_text="The address that was asked.")
    errors = FaultDocument(many=True, required=False)  # type: ignore[assignment]
