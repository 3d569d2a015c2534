"""Stages: what they cost, how far they are, opening, closing, asking for what is lacking; and what
they bring: assignments and ratings."""

from __future__ import annotations

from typing import Any

from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.quality.api.documents import StudyRatingDocument
from annotation.quality.services.collected import kept_ratings
from annotation.rating.models import Assignment
from annotation.stages.services import opening, plans
from annotation.stages.services.stage_plans import planned_hits
from annotation.studies.api.access import edited, person, stage_of, viewed
from annotation.studies.errors import StudyError
from annotation.studies.models import Stage
from core.rest.operations import operation
from core.rest.serializers import Paged
from core.rest.views import ApiView

HITS_SHOWN = 3


class StageDocument(serializers.Serializer[plans.StageProgress]):
    """How far a stage has got."""

    kind = serializers.ChoiceField(Stage.Kind.choices, source="stage.kind")
    status = serializers.ChoiceField(Stage.Status.choices, source="stage.status")
    opened_at = serializers.DateTimeField(source="stage.opened_at", allow_null=True)
    closed_at = serializers.DateTimeField(source="stage.closed_at", allow_null=True)
    percent = serializers.IntegerField()
    hits = serializers.IntegerField()
    wanted = serializers.IntegerField(
        allow_null=True, help_text="Assignments; null for a test, which any number may take."
    )
    submitted = serializers.IntegerField()
    held = serializers.IntegerField(help_text="Assignments that somebody works on.")
    surplus = serializers.IntegerField(help_text="Too late to count, and paid.")
    workers = serializers.IntegerField()
    ratings = serializers.IntegerField()
    simulated = serializers.IntegerField()
    cannot_judge = serializers.IntegerField()
    earned_cents = serializers.IntegerField()
    passed = serializers.IntegerField()
    failed = serializers.IntegerField()


class StageCostDocument(serializers.Serializer[plans.StageCost]):
    """What a stage asks for when everything is collected; of a test, by one worker."""

    kind = serializers.CharField(source="stage.kind")
    hits = serializers.IntegerField()
    candidates = serializers.IntegerField()
    assignments = serializers.IntegerField()
    ratings = serializers.IntegerField()
    pay_cents = serializers.IntegerField()
    problem = serializers.CharField(help_text="Why it cannot be packed yet; else empty.")


class CostDocument(serializers.Serializer[plans.StudyCost]):
    """The stages' costs, and their total without the test."""

    stages = StageCostDocument(many=True)
    hits = serializers.IntegerField()
    assignments = serializers.IntegerField()
    ratings = serializers.IntegerField()
    pay_cents = serializers.IntegerField()


class PlannedHitDocument(serializers.Serializer[Any]):
    """One of the HITs that opening the stage makes."""

    wanted = serializers.IntegerField()
    pay_cents = serializers.IntegerField()
    candidates = serializers.ListField(child=serializers.CharField(), help_text="Their keys.")


class PlanDocument(serializers.Serializer[Any]):
    """The first HITs of a stage, as raters will see them."""

    hits = PlannedHitDocument(many=True)
    hit_count = serializers.IntegerField()


class AssignmentDocument(serializers.Serializer[Assignment]):
    """One worker's hold on one HIT."""

    id = serializers.IntegerField(source="pk")
    stage = serializers.CharField(source="hit.stage.kind")
    hit = serializers.IntegerField(source="hit.index")
    worker = serializers.CharField(source="worker.name", help_text="What we call them.")
    status = serializers.ChoiceField(Assignment.Status.choices)
    protocol_version = serializers.IntegerField(source="protocol_version.version")
    pay_cents = serializers.IntegerField()
    started_at = serializers.DateTimeField()
    lease_until = serializers.DateTimeField()
    submitted_at = serializers.DateTimeField(allow_null=True)


class ListAssignments(Paged):
    stage = serializers.ChoiceField(Stage.Kind.choices, required=False)
    status = serializers.ChoiceField(Assignment.Status.choices, required=False)
    worker = serializers.CharField(required=False, max_length=100)


class ListRatings(Paged):
    stage = serializers.ChoiceField(Stage.Kind.choices, required=False)
    worker = serializers.CharField(required=False, max_length=100)
    candidate = serializers.CharField(
        required=False, max_length=1000, trim_whitespace=False, help_text="Its key."
    )


class Stages(ApiView):
    @operation(
        "List stages",
        scope="studies:read",
        query=Paged,
        answer=StageDocument,
        pages=True,
        tag="stages",
    )
    def get(self, request: Request, slug: str) -> Response:
        """With how far each has got, in their order."""
        rows = plans.stages_progress(viewed(request, slug))
        return self.page_of_rows(rows, lambda row: row.stage.number)


class OneStage(ApiView):
    @operation("Read a stage", scope="studies:read", answer=StageDocument, tag="stages")
    def get(self, request: Request, slug: str, kind: str) -> Response:
        """How far it has got."""
        study = viewed(request, slug)
        stage_of(study, kind)
        return _shown(self, study, kind)


class OpenStage(ApiView):
    @operation(
        "Open a stage",
        scope="studies:write",
        answer=StageDocument,
        changes=lambda: OneStage,
        tag="stages",
        also={409: "There is nothing to rate, it is open already, or the test comes first."},
    )
    def post(self, request: Request, slug: str, kind: str) -> Response:
        """Packs its HITs and lets raters in."""
        study = edited(request, slug)
        opening.open_stage(stage_of(study, kind), by=person(request), at=now())
        return _shown(self, study, kind)


class CloseStage(ApiView):
    @operation(
        "Close a stage",
        scope="studies:write",
        answer=StageDocument,
        changes=lambda: OneStage,
        tag="stages",
        also={409: "It is not open."},
    )
    def post(self, request: Request, slug: str, kind: str) -> Response:
        """Nobody else is let in; what raters hold they may still submit."""
        study = edited(request, slug)
        stage = stage_of(study, kind)
        if stage.status != Stage.Status.OPEN:
            raise StudyError(f"The {kind} stage is not open.")
        opening.close_stage(stage, at=now())
        return _shown(self, study, kind)


class TopUp(ApiView):
    @operation(
        "Ask for ratings that are lacking",
        scope="studies:write",
        answer=StageDocument,
        status=201,
        creates=True,
        tag="stages",
        also={409: "No candidate of an open stage lacks ratings."},
    )
    def post(self, request: Request, slug: str, kind: str) -> Response:
        """More HITs for candidates that lack kept ratings."""
        study = edited(request, slug)
        stage = stage_of(study, kind)
        if not opening.top_up(stage):
            raise StudyError("Nothing to add: no candidate of an open stage lacks ratings.")
        return _shown(self, study, kind)


class Cost(ApiView):
    @operation("Read what a study costs", scope="studies:read", answer=CostDocument, tag="stages")
    def get(self, request: Request, slug: str) -> Response:
        """HITs, assignments, ratings and pay, by the packing that opening the stages makes."""
        return self.answer(plans.study_cost(viewed(request, slug)))


class Plan(ApiView):
    @operation(
        "Read a stage's plan",
        scope="studies:read",
        answer=PlanDocument,
        tag="stages",
        also={409: "The stage cannot be packed yet; it says why."},
    )
    def get(self, request: Request, slug: str, kind: str) -> Response:
        """Its first HITs, or those that opening it would make; nothing is made."""
        stage = stage_of(viewed(request, slug), kind)
        plan, protocol = planned_hits(stage), stage.study.current.protocol
        hits = [
            {
                "wanted": hit.wanted,
                "pay_cents": protocol.pay.cents(len(hit.keys), protocol.hit.most_candidates),
                "candidates": [plan.candidates[key].key for key in hit.keys],
            }
            for hit in plan.hits[:HITS_SHOWN]
        ]
        return self.answer({"hits": hits, "hit_count": len(plan.hits)})


class Assignments(ApiView):
    @operation(
        "List assignments",
        scope="studies:read",
        query=ListAssignments,
        answer=AssignmentDocument,
        pages=True,
        tag="ratings",
    )
    def get(self, request: Request, slug: str) -> Response:
        """In the order they were handed out."""
        asked = self.query()
        fields = {"stage": "hit__stage__kind", "status": "status", "worker": "worker__name"}
        wanted = {field: asked[name] for name, field in fields.items() if name in asked}
        rows = Assignment.objects.filter(hit__stage__study=viewed(request, slug), **wanted)
        related = ("hit__stage", "worker", "protocol_version")
        return self.page_of_query(rows.select_related(*related), "pk")


class Ratings(ApiView):
    @operation(
        "List ratings",
        scope="studies:read",
        query=ListRatings,
        answer=StudyRatingDocument,
        pages=True,
        tag="ratings",
    )
    def get(self, request: Request, slug: str) -> Response:
        """Those of submitted assignments that count, before the ledger. Workers bear the names we
        gave them."""
        asked = self.query()
        fields = {
            "stage": "assignment__hit__stage__kind",
            "worker": "worker__name",
            "candidate": "candidate__key",
        }
        wanted = {field: asked[name] for name, field in fields.items() if name in asked}
        rows = kept_ratings(viewed(request, slug)).filter(**wanted)
        related = ("candidate", "worker", "assignment__hit__stage")
        return self.page_of_query(rows.select_related(*related), "pk")


def _shown(view: ApiView, study: Any, kind: str) -> Response:
    rows = plans.stages_progress(study)
    return view.answer(next(row for row in rows if row.stage.kind == kind))
