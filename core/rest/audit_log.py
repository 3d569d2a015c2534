"""The endpoint of the whole audit log, which includes events of accounts and tokens."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from concord.documents.account import EventDocument
from core.audit.models import AuditEvent
from core.rest.history import ListEvents, filter_events
from core.rest.operations import operation
from core.rest.views import ApiView


class AuditLog(ApiView):
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
