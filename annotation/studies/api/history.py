"""API of a study's audit log."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from annotation.studies.api.access import viewed
from concord.documents.account import EventDocument
from core.audit.models import AuditEvent
from core.rest.history import ListEvents, filter_events
from core.rest.operations import operation
from core.rest.views import ApiView


class StudyHistory(ApiView):
    @operation(
        "List what was done to a study",
        scope="studies:read",
        query=ListEvents,
        answer=EventDocument,
        pages=True,
        tag="history",
    )
    def get(self, request: Request, slug: str) -> Response:
        """Latest first."""
        events = AuditEvent.objects.of_study(viewed(request, slug))
        return self.page_of_query(filter_events(events, self.query()), "-pk")
