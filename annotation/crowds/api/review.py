"""API for reviewing submissions and for payment totals. Decisions spend money: owners only."""

from __future__ import annotations

from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.crowds import tasks
from annotation.crowds.models import CrowdAssignment
from annotation.crowds.services import reviewing
from annotation.crowds.services.progress import publication_of
from annotation.studies.api.access import owned, person, viewed
from concord.documents.conversion import fill
from concord.documents.crowds import (
    CrowdSubmissionDocument,
    QueuedDocument,
)
from core.rest.operations import operation
from core.rest.serializers import Paged
from core.rest.views import ApiView


def crowd_submission_document(row: CrowdAssignment) -> CrowdSubmissionDocument:
    return fill(
        CrowdSubmissionDocument,
        row,
        worker=row.participation.worker.name,
        pay_cents=row.listing.pay_cents,
    )


class ListCrowdSubmissions(Paged):
    status = serializers.ChoiceField(CrowdAssignment.Status.choices, required=False)


class CrowdSubmissionsView(ApiView):
    @operation(
        "List a crowd's submissions",
        scope="studies:read",
        query=ListCrowdSubmissions,
        answer=crowd_submission_document,
        pages=True,
        tag="crowds",
    )
    def get(self, request: Request, slug: str, publication: int) -> Response:
        """In the order of arrival."""
        row = publication_of(viewed(request, slug), publication)
        query = self.query()
        rows = row.assignments.select_related("participation__worker", "listing")
        if "status" in query:
            rows = rows.filter(status=query["status"])
        return self.page_of_query(rows, "pk")


class ApproveByRule(ApiView):
    @operation(
        "Approve by a rule",
        scope="payments:write",
        body=reviewing.ApprovalRule,
        answer=QueuedDocument,
        status=202,
        tag="crowds",
        example={"min_seconds": 2},
    )
    def post(self, request: Request, slug: str, publication: int) -> Response:
        """Approves all that are complete, have no problem and took long enough."""
        row = publication_of(owned(request, slug), publication)
        rule = self.input(reviewing.ApprovalRule)
        count = reviewing.approve_by_rule(row, rule, by=person(request), at=now())
        tasks.after_commit(tasks.make_crowd_calls, row.pk)
        return self.answer({"ordered": count})
