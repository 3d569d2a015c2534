"""REST API of metrics as judges of correctness."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.correctness import services as correctness
from benchmarks.correctness.services.results import CorrectnessResult
from benchmarks.sets.services import access, criteria
from core.rest.derived import DataclassSerializer
from core.rest.operations import operation
from core.rest.views import ApiView


class CorrectnessQuery(DataclassSerializer):
    dataclass = correctness.CorrectnessOptions
    only = ("gold", "rule", "tune", "report", "estimate", "mixed")
    is_query = True

    criterion = serializers.CharField(
        required=False, max_length=500, help_text="Of a set with several; by default the score."
    )


class Correctness(ApiView):
    @operation(
        "Read metrics as judges of correctness",
        scope="sets:read",
        visitors=True,
        query=CorrectnessQuery,
        answer=CorrectnessResult,
        tag="analyses",
        also={
            409: "A worker has to compute it first: start the analysis `correctness`.",
            422: "It cannot be computed for this set; the detail says why.",
        },
    )
    def get(self, request: Request, ref: str) -> Response:
        """The same JSON as the page's download."""
        judgment_set = access.set_for(request.user, ref)
        criteria.choose(judgment_set, self.query().get("criterion"))
        result = correctness.result(judgment_set, self.input(correctness.CorrectnessOptions))
        return self.answer(result)
