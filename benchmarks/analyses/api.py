"""REST API of analyses: agreement, systems, learning curves and the evaluation plane."""

from __future__ import annotations

import json

from django.db import transaction
from django.urls import reverse
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.analyses import services as analyses
from benchmarks.analyses import tasks
from benchmarks.analyses.models import Analysis
from benchmarks.sets.models import JudgmentSet
from benchmarks.sets.services import access, criteria
from concord.bounds import bounded_fields
from concord.documents.runs import AnalysisDocument
from core.accounts.roles import Role
from core.jobs import send_after_commit
from core.refusals import RefusedError
from core.rest.operations import operation
from core.rest.serializers import Paged, Strict, ValidatedData
from core.rest.views import SAFE, ApiView

PENDING = {
    409: "A worker has to compute it first: start the analysis of the same name.",
    422: "It cannot be computed for this set; the detail says why.",
}


class StartAnalysis(Strict):
    kind = serializers.ChoiceField(tuple(analyses.KINDS))
    criterion = serializers.CharField(
        required=False, max_length=500, help_text="Of a set with several; by default the score."
    )
    parameters = serializers.DictField(
        default=dict, help_text="Parameters of the kind; the others have their defaults."
    )

    def validate(self, body: ValidatedData) -> ValidatedData:
        """Check that each parameter has its type; the kind checks the values."""
        for field in bounded_fields(analyses.KINDS[body["kind"]].parameters):
            value = body["parameters"].get(field.name, field.default)
            expected = str if field.choices else field.type
            types = (int, float) if expected is float else (expected,)
            if type(value) not in types and not (value is None and field.nullable):
                type_name = "number" if expected is float else expected.__name__
                message = f"Must be of the type {type_name}, such as {json.dumps(field.default)}."
                raise serializers.ValidationError({"parameters": {field.name: [message]}})
        return body


class Analyses(ApiView):
    @operation(
        "List a set's analyses",
        scope="sets:read",
        visitors=True,
        query=Paged,
        answer=AnalysisDocument,
        pages=True,
        tag="analyses",
    )
    def get(self, request: Request, ref: str) -> Response:
        """With their progress, without results: read one analysis for its result."""
        judgment_set = access.set_for(request.user, ref)
        return self.page_of_query(analyses.visible_analyses(judgment_set), "created_at", "pk")

    @operation(
        "Start an analysis",
        scope="runs:write",
        body=StartAnalysis,
        answer=AnalysisDocument,
        status=201,
        creates=True,
        tag="analyses",
        example={"kind": "agreement", "parameters": {"coefficient": "kendall_b", "draws": 1000}},
    )
    def post(self, request: Request, ref: str) -> Response:
        """Of the complete runs of the board. An equal analysis is computed once."""
        judgment_set = access.set_for(request.user, ref, Role.EDITOR)
        body = self.body()
        if "criterion" in analyses.KINDS[body["kind"]].reads or "criterion" in body:
            criteria.choose(judgment_set, body.get("criterion"))
        with transaction.atomic():
            analysis = analyses.request_analysis(body["kind"], judgment_set, body["parameters"])
            if analysis.is_active:
                send_after_commit(lambda: tasks.compute_analysis.delay(analysis.pk))
        location = reverse("api-analysis", args=[str(judgment_set), analysis.pk])
        return self.answer(analyses.for_viewer(judgment_set, analysis), location=location)

    def _document(self, value: object) -> object:
        assert isinstance(value, Analysis)
        if self.request.method in SAFE:
            value.result = None
        return super()._document(value)


class OneAnalysis(ApiView):
    @operation(
        "Read an analysis",
        scope="sets:read",
        visitors=True,
        answer=AnalysisDocument,
        tag="analyses",
    )
    def get(self, request: Request, ref: str, analysis: int) -> Response:
        """Repeat while `status` is queued or running. It ends as complete, as refused where the
        data do not suffice (`reason` says what is missing), as failed, or as cancelled."""
        judgment_set = access.set_for(request.user, ref)
        return self.answer(analyses.for_viewer(judgment_set, _find(judgment_set, analysis)))


def _find(judgment_set: JudgmentSet, pk: int) -> Analysis:
    analysis = analyses.visible_analyses(judgment_set).filter(pk=pk).first()
    if analysis is None:
        raise RefusedError(f"{judgment_set} has no analysis {pk}.", "not-found")
    return analysis
