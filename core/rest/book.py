"""The whole book of who did what: accounts and tokens belong to no study and no set."""

from __future__ import annotations

from django.core.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from core.audit.models import AuditEvent
from core.rest.history import EventDocument, ListEvents, chosen
from core.rest.operations import operation
from core.rest.views import ApiView


class Book(ApiView):
    @operation(
        "List what was done on the site",
        scope="audit:read",
        query=ListEvents,
        answer=EventDocument,
        pages=True,
        tag="history",
    )
    def get(self, request: Request) -> Response:
        """Latest first. For administrators; that of a study or a set is told to its members."""
        if not request.user.is_superuser:
            raise PermissionDenied(
                "Administrators read the whole audit; ask for that of a study or a set instead."
            )
        return self.page_of_query(chosen(AuditEvent.objects.all(), self.query()), "-pk")
