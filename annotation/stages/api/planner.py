"""The planner: raters, items and money for a wanted width of alpha's interval."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from annotation.stages.services.forecasts import Wanted, forecast
from annotation.studies.api.access import viewed
from concord.planning.plan import Plan
from concord.reliability import LEVELS
from core.rest.operations import operation
from core.rest.serializers import Strict
from core.rest.views import ApiView


class PlannerQuery(Strict):
    width = serializers.FloatField(
        min_value=0.01, max_value=1, default=0.1, help_text="Of alpha's 95% interval, end to end."
    )
    fee = serializers.FloatField(
        min_value=0, max_value=200, default=20.0, help_text="The platform's, in per cent."
    )
    level = serializers.ChoiceField(LEVELS, default="ordinal")
    source = serializers.ChoiceField(  # type: ignore[assignment]
        ("ratings", "described"),
        default="described",
        help_text="Raters as in the ratings so far, or as the next three describe them.",
    )
    ability = serializers.FloatField(
        min_value=0, max_value=1, default=0.8, help_text="Share of no guesses."
    )
    noise = serializers.FloatField(
        min_value=0, max_value=10, default=0.6, help_text="SD, in scale points."
    )
    spam = serializers.FloatField(
        min_value=0, max_value=1, default=0.05, help_text="Share of spammers."
    )


class ForecastCellDocument(serializers.Serializer[Any]):
    """So many raters an item, so many items."""

    raters = serializers.IntegerField()
    items = serializers.IntegerField()
    ratings = serializers.IntegerField()
    cents = serializers.IntegerField(help_text="With the fee.")
    width = serializers.FloatField()
    enough = serializers.BooleanField(help_text="The wanted width is reached.")


class ForecastRowDocument(serializers.Serializer[Any]):
    raters = serializers.IntegerField()
    alpha = serializers.FloatField()
    cells = ForecastCellDocument(many=True)
    needed = ForecastCellDocument(help_text="The fewest items that reach the wanted width.")


class ForecastDocument(serializers.Serializer[Plan]):
    """What reaches the wanted width, by simulation."""

    cheapest = ForecastCellDocument()
    rows = ForecastRowDocument(many=True)
    seed = serializers.IntegerField()


class Planner(ApiView):
    @operation(
        "Plan raters and items",
        scope="studies:read",
        query=PlannerQuery,
        answer=ForecastDocument,
        tag="stages",
        also={422: "The ratings so far tell too little; it says why."},
    )
    def get(self, request: Request, slug: str) -> Response:
        """At the study's scale and pay, by raters an item and number of items."""
        return self.answer(forecast(viewed(request, slug), Wanted(**self.query())))
