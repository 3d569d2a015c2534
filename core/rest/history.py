"""What the book of who did what says of a study or a judgment set."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from core.audit.models import AuditEvent, AuditEventQuerySet
from core.rest.serializers import Paged


class EventDocument(serializers.Serializer[AuditEvent]):
    """Something that was done; the book only grows."""

    id = serializers.IntegerField(source="pk")
    at = serializers.DateTimeField()
    actor = serializers.CharField(help_text="Account, token, command, or the system.")
    action = serializers.CharField()
    target = serializers.CharField()
    before = serializers.DictField(allow_null=True)
    after = serializers.DictField(allow_null=True)


class ListEvents(Paged):
    actor = serializers.CharField(required=False, max_length=300, help_text="Name of an account.")
    action = serializers.CharField(required=False, max_length=60)
    since = serializers.DateField(required=False)
    until = serializers.DateField(required=False)


def chosen(events: AuditEventQuerySet, asked: dict[str, Any]) -> AuditEventQuerySet:
    """The events that a query asks for."""
    names = ("actor", "action", "since", "until")
    return events.matching(**{name: asked[name] for name in names if name in asked})
