"""REST API of metrics as judges of correctness."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from benchmarks.correctness import services as correctness
from benchmarks.sets.services import access, criteria
from concord.bounds import find_bound
from concord.documents.correctness import CorrectnessResult
from concord.meta.correctness import ESTIMATES, RULES
from core.rest.derived import real_field
from core.rest.operations import operation
from core.rest.serializers import Flag, Strict
from core.rest.views import ApiView


class CorrectnessQuery(Strict):
    criterion = serializers.CharField(
        required=False, max_length=500, help_text="Of a set with several; by default the score."
    )
    gold = real_field(
        find_bound(correctness.Options, "gold"),
        required=False,
        help_text="Answers with this gold score or more are correct.",
    )
    rule = serializers.ChoiceField(RULES, default="f1", help_text="What a threshold maximises.")
    tune = serializers.CharField(required=False, max_length=500, help_text="Split to tune on.")
    report = serializers.CharField(required=False, max_length=500, help_text="Split to report.")
    estimate = serializers.ChoiceField(ESTIMATES, default="threshold")
    mixed = Flag(default=False)


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
        judgment_set, query = access.set_for(request.user, ref), self.query()
        criteria.choose(judgment_set, query.pop("criterion", None))
        result = correctness.result(judgment_set, correctness.Options(**query))
        return self.answer(result)
