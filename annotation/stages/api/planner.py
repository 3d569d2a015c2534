"""API of the planner: raters, items and cost for a target width of alpha's interval."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.stages.services.forecasts import ForecastOptions, forecast
from annotation.studies.api.access import viewed
from concord.documents.stages import ForecastDocument
from concord.reliability import LEVELS
from core.rest.operations import operation
from core.rest.serializers import Strict
from core.rest.views import ApiView


class PlannerQuery(Strict):
    width = serializers.FloatField(
        min_value=0.01, max_value=1, default=0.1, help_text="Target width of alpha's 95% interval."
    )
    fee = serializers.FloatField(
        min_value=0, max_value=200, default=20.0, help_text="The platform's fee in percent."
    )
    level = serializers.ChoiceField(LEVELS, default="ordinal")
    source = serializers.ChoiceField(  # type: ignore[assignment]
        ("ratings", "described"),
        default="described",
        help_text="Raters like those so far, or as described by ability, noise and spam.",
    )
    ability = serializers.FloatField(
        min_value=0, max_value=1, default=0.8, help_text="Share of ratings that are not guessed."
    )
    noise = serializers.FloatField(
        min_value=0, max_value=10, default=0.6, help_text="SD, in scale points."
    )
    spam = serializers.FloatField(
        min_value=0, max_value=1, default=0.05, help_text="Share of spammers."
    )


class Planner(ApiView):
    @operation(
        "Plan raters and items",
        scope="studies:read",
        query=PlannerQuery,
        answer=ForecastDocument,
        tag="stages",
        also={422: "There are too few ratings for an estimate; the problem says why."},
    )
    def get(self, request: Request, slug: str) -> Response:
        """By raters per item and number of items, with the study's scale and pay."""
        return self.answer(forecast(viewed(request, slug), ForecastOptions(**self.query())))
