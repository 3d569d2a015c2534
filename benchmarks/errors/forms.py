"""Query parameters of a metric, its disagreements and minimal pairs."""

from __future__ import annotations

from typing import Any

from django import forms

from benchmarks.errors.services.data import SORTS
from concord.meta.board import GROUPINGS
from core.pages.queries import QueryForm, choice, text

COUNTS = (10, 20, 50, 100)
DEFAULT_COUNT = 20


class LabelsQuery(QueryForm):
    """Labels that candidates must have; an empty one allows all."""

    constituent = text()
    system = text()
    category = text()
    split = text()
    type = text()
    length = text()
    references = text()

    @classmethod
    def labels(cls, values: dict[str, Any]) -> dict[str, str]:
        return {name: values[name] for name in GROUPINGS if values[name]}


class RunQuery(LabelsQuery):
    show = choice("both", "over", "under", default="both")
    count = forms.TypedChoiceField(
        choices=[(count, count) for count in COUNTS],
        coerce=int,
        required=False,
        initial=DEFAULT_COUNT,
    )


class ErrorsQuery(RunQuery):
    """The two sides of the disagreements: a metric, and people or another metric."""

    compare = choice("rank", "score", default="rank")
    run = forms.IntegerField(required=False, min_value=1, max_value=2**62)
    other = forms.IntegerField(required=False, min_value=1, max_value=2**62)


class DataQuery(QueryForm):
    """The search in a set's data (`services.data.search`)."""

    q = text()
    system = text()
    constituent = text()
    split = text()
    category = text()
    low = forms.FloatField(required=False)
    high = forms.FloatField(required=False)
    disagreement = forms.FloatField(required=False, min_value=0)
    sort = choice(*SORTS, default="position")
    page = forms.IntegerField(required=False, min_value=1, max_value=10**6, initial=1)


class RankPairsQuery(QueryForm):
    threshold = forms.FloatField(required=False, min_value=0.01, max_value=1e6, initial=2.0)
    run = forms.IntegerField(required=False, min_value=1, max_value=2**62)


class PairsQuery(QueryForm):
    run = forms.IntegerField(required=False, min_value=1, max_value=2**62)
    phenomenon = text()
    verdict = choice("all", "right", "tie", "wrong", default="all")
    page = forms.IntegerField(required=False, min_value=1, max_value=10**6, initial=1)
