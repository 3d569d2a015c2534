"""Audit log entries in the REST API."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from concord.documents.account import EventDocument
from core.audit.models import AuditEvent, AuditEventQuerySet
from core.rest.operations import operation
from core.rest.serializers import Paged, ValidatedData
from core.rest.views import ApiView


class ListEvents(Paged):
    actor = serializers.CharField(required=False, max_length=300, help_text="Name of an account.")
    action = serializers.CharField(required=False, max_length=60)
    since = serializers.DateField(required=False)
    until = serializers.DateField(required=False)


def filter_events(events: AuditEventQuerySet, query: ValidatedData) -> AuditEventQuerySet:
    """The events that match a checked query (ListEvents)."""
    names = ("actor", "action", "since", "until")
    return events.matching(**{name: query[name] for name in names if name in query})


class AuditLog(ApiView):
    """The whole log, which includes events of accounts and tokens."""

    @operation(
        "List the audit log of the site",
        scope="audit:read",
        query=ListEvents,
        answer=EventDocument,
        pages=True,
        tag="history",
    )
    def get(self, request: Request) -> Response:
        """Latest first. For administrators only; members can read that of a study or set."""
        if not request.user.is_superuser:
            raise PermissionDenied(
                "Only administrators can read the whole audit log. Read that of a study or "
                "judgment set instead."
            )
        return self.page_of_query(filter_events(AuditEvent.objects.all(), self.query()), "-pk")
