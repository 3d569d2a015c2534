"""Audit log entries in the REST API."""

from __future__ import annotations

from rest_framework import serializers

from core.audit.models import AuditEventQuerySet
from core.rest.serializers import Paged, ValidatedData


class ListEvents(Paged):
    actor = serializers.CharField(required=False, max_length=300, help_text="Name of an account.")
    action = serializers.CharField(required=False, max_length=60)
    since = serializers.DateField(required=False)
    until = serializers.DateField(required=False)


def filter_events(events: AuditEventQuerySet, query: ValidatedData) -> AuditEventQuerySet:
    """The events that match a checked query (ListEvents)."""
    names = ("actor", "action", "since", "until")
    return events.matching(**{name: query[name] for name in names if name in query})
