"""API for reviewing submissions and for payment totals. Decisions spend money: owners only."""

from __future__ import annotations

from django.http import Http404
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.crowds import tasks
from annotation.crowds.api.access import publication_of
from annotation.crowds.inputs import GROUNDS, Approval, Bonus, Rejection
from annotation.crowds.models import CrowdAssignment
from annotation.crowds.services import payment_totals, reviewing
from annotation.studies.api.access import owned, person, viewed
from annotation.studies.models import Study
from concord.documents.conversion import fill
from concord.documents.crowds import (
    CrowdSubmissionDocument,
    PaymentsDocument,
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


class CrowdSubmissionView(ApiView):
    @operation(
        "Read a crowd's submission",
        scope="studies:read",
        answer=crowd_submission_document,
        tag="crowds",
    )
    def get(self, request: Request, slug: str, submitted: int) -> Response:
        return self.answer(_submission_of(viewed(request, slug), submitted))


class Approve(ApiView):
    @operation(
        "Approve a crowd's submission",
        scope="payments:write",
        body=Approval,
        answer=crowd_submission_document,
        status=202,
        creates=True,
        tag="crowds",
        also={409: "It was decided already, or was rejected too long ago."},
        example={"feedback": "Thank you."},
    )
    def post(self, request: Request, slug: str, submitted: int) -> Response:
        """Pays the reward. Undoes a rejection within thirty days."""
        crowd = _submission_of(owned(request, slug), submitted)
        feedback = self.input(Approval).feedback
        reviewing.approve(crowd, feedback=feedback, by=person(request), at=now())
        return _respond(self, crowd)


class Reject(ApiView):
    @operation(
        "Reject a crowd's submission",
        scope="payments:write",
        body=Rejection,
        answer=crowd_submission_document,
        status=202,
        creates=True,
        tag="crowds",
        also={409: "It was decided already."},
        example={"ground": next(iter(GROUNDS)), "feedback": "The page was left empty."},
    )
    def post(self, request: Request, slug: str, submitted: int) -> Response:
        """Needs one of the listed grounds and a message to the worker."""
        crowd = _submission_of(owned(request, slug), submitted)
        body = self.input(Rejection)
        reviewing.reject(crowd, body.ground, body.feedback, by=person(request), at=now())
        return _respond(self, crowd)


class GiveBonus(ApiView):
    @operation(
        "Give a bonus",
        scope="payments:write",
        body=Bonus,
        answer=crowd_submission_document,
        status=202,
        creates=True,
        tag="crowds",
        also={
            409: "It exceeds the budget, or a bonus with this amount and reason was paid already."
        },
        example={"cents": 50, "reason": "Your comments helped us."},
    )
    def post(self, request: Request, slug: str, submitted: int) -> Response:
        """For one submission."""
        crowd = _submission_of(owned(request, slug), submitted)
        body = self.input(Bonus)
        reviewing.bonus(crowd, body.cents, body.reason, by=person(request), at=now())
        return _respond(self, crowd)


class Payments(ApiView):
    @operation(
        "Read a crowd's payment totals", scope="studies:read", answer=PaymentsDocument, tag="crowds"
    )
    def get(self, request: Request, slug: str, publication: int) -> Response:
        """The stored totals. Makes no call to the platform."""
        return self.answer(
            payment_totals.compare(publication_of(viewed(request, slug), publication))
        )


def _submission_of(study: Study, pk: int) -> CrowdAssignment:
    rows = CrowdAssignment.objects.filter(publication__stage__study=study)
    related = ("publication__stage__study", "listing", "participation__worker")
    submission = rows.select_related(*related).filter(pk=pk).first()
    if submission is None:
        raise Http404("The study has no such submission.")
    return submission


def _respond(view: ApiView, submitted: CrowdAssignment) -> Response:
    tasks.after_commit(tasks.make_crowd_calls, submitted.publication_id)
    return view.answer(_submission_of(submitted.publication.stage.study, submitted.pk))
