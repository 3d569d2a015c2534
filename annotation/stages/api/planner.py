"""API of the planner: raters, items and cost for a target width of alpha's interval."""

from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from annotation.stages.services.forecasts import ForecastOptions, forecast
from annotation.studies.api.access import viewed
from concord.documents.stages import ForecastDocument
from core.rest.operations import operation
from core.rest.views import ApiView


class Planner(ApiView):
    @operation(
        "Plan raters and items",
        scope="studies:read",
        query=ForecastOptions,
        answer=ForecastDocument,
        tag="stages",
        also={422: "There are too few ratings for an estimate; the problem says why."},
    )
    def get(self, request: Request, slug: str) -> Response:
        """By raters per item and number of items, with the study's scale and pay."""
        return self.answer(forecast(viewed(request, slug), self.input(ForecastOptions)))
