"""Reviewing what a crowd submitted, and its books. Deciding spends money: owners alone."""

from __future__ import annotations

from typing import Any

from django.http import Http404
from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.crowds import tasks
from annotation.crowds.api.access import publication_of
from annotation.crowds.models import CrowdAssignment
from annotation.crowds.providers.offer import BONUS, BONUS_REASON, FEEDBACK
from annotation.crowds.services import books, reviewing
from annotation.studies.api.access import owned, person, viewed
from annotation.studies.models import Study
from core.rest.derived import real_field, text_field, whole_field
from core.rest.operations import operation
from core.rest.serializers import Paged, Strict
from core.rest.views import ApiView


class CrowdSubmissionDocument(serializers.Serializer[CrowdAssignment]):
    """What a worker handed in; who it is on the platform is nowhere here."""

    id = serializers.IntegerField(source="pk")
    worker = serializers.CharField(source="participation.worker.name")
    status = serializers.ChoiceField(CrowdAssignment.Status.choices)
    problem = serializers.CharField(help_text="What speaks against it; else empty.")
    pay_cents = serializers.IntegerField(source="listing.pay_cents")
    submitted_at = serializers.DateTimeField(allow_null=True)
    approves_itself_at = serializers.DateTimeField(allow_null=True)
    decided_at = serializers.DateTimeField(allow_null=True)


class ListSubmitted(Paged):
    status = serializers.ChoiceField(CrowdAssignment.Status.choices, required=False)


class ApprovalRule(Strict):
    fewest_seconds = real_field(
        reviewing.SECONDS_BOUND, default=0.0, help_text="A rating, on average."
    )


class Approval(Strict):
    feedback = text_field(FEEDBACK, default="")


class Rejection(Strict):
    ground = serializers.ChoiceField(tuple(reviewing.GROUNDS))
    feedback = serializers.CharField(
        max_length=FEEDBACK.max_chars, help_text="What the worker reads."
    )


class Bonus(Strict):
    cents = whole_field(BONUS)
    reason = serializers.CharField(
        max_length=BONUS_REASON.max_chars, help_text="What the worker reads."
    )


class OrderedDocument(serializers.Serializer[Any]):
    """How many decisions were ordered; workers make the calls."""

    ordered = serializers.IntegerField()


class SideDocument(serializers.Serializer[books.Side]):
    """One side of the books, in cents."""

    listings = serializers.IntegerField()
    places = serializers.IntegerField()
    approved = serializers.IntegerField()
    rewards = serializers.IntegerField()
    bonuses = serializers.IntegerField()
    fees = serializers.IntegerField(allow_null=True)
    total = serializers.IntegerField()


class BooksDocument(serializers.Serializer[books.Books]):
    """Our side, and the crowd's when it was last asked."""

    ours = SideDocument()
    theirs = SideDocument(allow_null=True)
    committed = serializers.IntegerField()
    balance = serializers.BooleanField(help_text="Whether both say the same, to the cent.")


class Submitted(ApiView):
    @operation(
        "List a crowd's submissions",
        scope="studies:read",
        query=ListSubmitted,
        answer=CrowdSubmissionDocument,
        pages=True,
        tag="crowds",
    )
    def get(self, request: Request, slug: str, publication: int) -> Response:
        """In the order they came."""
        found = publication_of(viewed(request, slug), publication)
        asked = self.query()
        rows = found.assignments.select_related("participation__worker", "listing")
        if "status" in asked:
            rows = rows.filter(status=asked["status"])
        return self.page_of_query(rows, "pk")


class ApproveByRule(ApiView):
    @operation(
        "Approve by a rule",
        scope="payments:write",
        body=ApprovalRule,
        answer=OrderedDocument,
        status=202,
        tag="crowds",
        example={"fewest_seconds": 2},
    )
    def post(self, request: Request, slug: str, publication: int) -> Response:
        """All that is complete, has no problem and took long enough."""
        found = publication_of(owned(request, slug), publication)
        rule = reviewing.Rule(fewest_seconds=self.body()["fewest_seconds"])
        count = reviewing.approve_by_rule(found, rule, by=person(request), at=now())
        tasks.after_commit(tasks.make_crowd_calls, found.pk)
        return self.answer({"ordered": count})


class OneSubmitted(ApiView):
    @operation(
        "Read a crowd's submission",
        scope="studies:read",
        answer=CrowdSubmissionDocument,
        tag="crowds",
    )
    def get(self, request: Request, slug: str, submitted: int) -> Response:
        return self.answer(_submitted(viewed(request, slug), submitted))


class Approve(ApiView):
    @operation(
        "Approve a crowd's submission",
        scope="payments:write",
        body=Approval,
        answer=CrowdSubmissionDocument,
        status=202,
        creates=True,
        tag="crowds",
        also={409: "It was decided already, or too long ago."},
        example={"feedback": "Thank you."},
    )
    def post(self, request: Request, slug: str, submitted: int) -> Response:
        """Pays it; of a rejected one, takes the rejection back within thirty days."""
        found = _submitted(owned(request, slug), submitted)
        given = self.body()
        reviewing.approve(found, feedback=given["feedback"], by=person(request), at=now())
        return _ordered(self, found)


class Reject(ApiView):
    @operation(
        "Reject a crowd's submission",
        scope="payments:write",
        body=Rejection,
        answer=CrowdSubmissionDocument,
        status=202,
        creates=True,
        tag="crowds",
        also={409: "It was decided already."},
        example={"ground": next(iter(reviewing.GROUNDS)), "feedback": "The page was left empty."},
    )
    def post(self, request: Request, slug: str, submitted: int) -> Response:
        """On one of few grounds, and with what the worker reads."""
        found = _submitted(owned(request, slug), submitted)
        given = self.body()
        ground, feedback = given["ground"], given["feedback"]
        reviewing.reject(found, ground, feedback, by=person(request), at=now())
        return _ordered(self, found)


class GiveBonus(ApiView):
    @operation(
        "Give a bonus",
        scope="payments:write",
        body=Bonus,
        answer=CrowdSubmissionDocument,
        status=202,
        creates=True,
        tag="crowds",
        also={409: "It is beyond the budget, or was given already, word for word."},
        example={"cents": 50, "reason": "Your comments helped us."},
    )
    def post(self, request: Request, slug: str, submitted: int) -> Response:
        """For one submission."""
        found = _submitted(owned(request, slug), submitted)
        given = self.body()
        reviewing.bonus(found, given["cents"], given["reason"], by=person(request), at=now())
        return _ordered(self, found)


class Books(ApiView):
    @operation("Read a crowd's books", scope="studies:read", answer=BooksDocument, tag="crowds")
    def get(self, request: Request, slug: str, publication: int) -> Response:
        """As they are known here; asks nobody."""
        return self.answer(books.books(publication_of(viewed(request, slug), publication)))


def _submitted(study: Study, pk: int) -> CrowdAssignment:
    rows = CrowdAssignment.objects.filter(publication__stage__study=study)
    related = ("publication__stage__study", "listing", "participation__worker")
    found = rows.select_related(*related).filter(pk=pk).first()
    if found is None:
        raise Http404("The study has no such submission.")
    return found


def _ordered(view: ApiView, submitted: CrowdAssignment) -> Response:
    tasks.after_commit(tasks.make_crowd_calls, submitted.publication_id)
    return view.answer(_submitted(submitted.publication.stage.study, submitted.pk))
