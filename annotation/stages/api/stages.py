"""API of stages: cost, progress, opening, closing, missing ratings; assignments and ratings."""

from __future__ import annotations

from django.utils.timezone import now
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.quality.api.documents import study_rating_document
from annotation.quality.services.rating_data import kept_ratings
from annotation.stages.services import opening, stage_figures
from annotation.studies.api.access import edited, person, stage_of, viewed
from annotation.studies.models import Stage, Study
from concord.documents.conversion import fill
from concord.documents.stages import (
    CostDocument,
    StageCostDocument,
    StageDocument,
)
from core.refusals import RefusedError
from core.rest.operations import operation
from core.rest.serializers import Paged
from core.rest.views import ApiView

HITS_SHOWN = 3


def stage_document(row: stage_figures.StageProgress) -> StageDocument:
    return fill(StageDocument, row, row.stage)


def stage_cost_document(row: stage_figures.StageCost) -> StageCostDocument:
    return fill(StageCostDocument, row, kind=row.stage.kind)


def cost_document(row: stage_figures.StudyCost) -> CostDocument:
    return fill(CostDocument, row, stages=[stage_cost_document(one) for one in row.stages])


class ListRatings(Paged):
    stage = serializers.ChoiceField(Stage.Kind.choices, required=False)
    worker = serializers.CharField(required=False, max_length=100)
    candidate = serializers.CharField(
        required=False, max_length=1000, trim_whitespace=False, help_text="The candidate's key."
    )


class Stages(ApiView):
    @operation(
        "List stages",
        scope="studies:read",
        query=Paged,
        answer=stage_document,
        pages=True,
        tag="stages",
    )
    def get(self, request: Request, slug: str) -> Response:
        """With their progress, in order."""
        rows = stage_figures.stages_progress(viewed(request, slug))
        return self.page_of_rows(rows, lambda row: row.stage.number)


class OneStage(ApiView):
    @operation("Read a stage", scope="studies:read", answer=stage_document, tag="stages")
    def get(self, request: Request, slug: str, kind: str) -> Response:
        """With its progress."""
        study = viewed(request, slug)
        stage_of(study, kind)
        return _respond(self, study, kind)


class OpenStage(ApiView):
    @operation(
        "Open a stage",
        scope="studies:write",
        answer=stage_document,
        changes=lambda: OneStage,
        tag="stages",
        also={
            409: "There is nothing to rate, the stage is open, or the test must be opened first."
        },
        example={},
    )
    def post(self, request: Request, slug: str, kind: str) -> Response:
        """Creates its HITs and admits raters."""
        study = edited(request, slug)
        opening.open_stage(stage_of(study, kind), by=person(request), at=now())
        return _respond(self, study, kind)


class CloseStage(ApiView):
    @operation(
        "Close a stage",
        scope="studies:write",
        answer=stage_document,
        changes=lambda: OneStage,
        tag="stages",
        also={409: "It is not open."},
    )
    def post(self, request: Request, slug: str, kind: str) -> Response:
        """Raters get no more HITs. They may still submit those in progress."""
        study = edited(request, slug)
        stage = stage_of(study, kind)
        if stage.status != Stage.Status.OPEN:
            raise RefusedError(f"The {kind} stage is not open.", "study-refused")
        opening.close_stage(stage, at=now())
        return _respond(self, study, kind)


class Cost(ApiView):
    @operation("Read what a study costs", scope="studies:read", answer=cost_document, tag="stages")
    def get(self, request: Request, slug: str) -> Response:
        """HITs, assignments, ratings and pay. Opening the stages creates exactly these HITs."""
        return self.answer(stage_figures.study_cost(viewed(request, slug)))


class StudyRatingsView(ApiView):
    @operation(
        "List ratings",
        scope="studies:read",
        query=ListRatings,
        answer=study_rating_document,
        pages=True,
        tag="ratings",
    )
    def get(self, request: Request, slug: str) -> Response:
        """Ratings of submitted assignments that count, before the ledger. Workers have their names
        in the study."""
        query = self.query()
        fields = {
            "stage": "assignment__hit__stage__kind",
            "worker": "worker__name",
            "candidate": "candidate__key",
        }
        filters = {field: query[name] for name, field in fields.items() if name in query}
        rows = kept_ratings(viewed(request, slug)).filter(**filters)
        related = ("candidate", "worker", "assignment__hit__stage")
        return self.page_of_query(rows.select_related(*related), "pk")


def _respond(view: ApiView, study: Study, kind: str) -> Response:
    rows = stage_figures.stages_progress(study)
    return view.answer(next(row for row in rows if row.stage.kind == kind))
