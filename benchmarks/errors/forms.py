"""Query parameters of a metric, its disagreements and minimal pairs."""

from __future__ import annotations

from typing import Unpack

from django import forms
from django.http import QueryDict

from benchmarks.errors.inputs import (
    LABELS,
    OF_CANDIDATES,
    DisagreementOptions,
    Labels,
)
from benchmarks.errors.services.data import SORTS
from concord.meta.board import GROUPINGS
from core.pages.derived import DataclassForm
from core.pages.options import FormOptions
from core.pages.queries import FormValues, QueryForm, choice, text

COUNTS = (10, 20, 50, 100)


def labels_of(values: FormValues) -> dict[str, str]:
    """The labels that a query restricts the candidates to, by grouping."""
    return {name: values[name] for name in GROUPINGS if values[name]}


class RunQuery(QueryForm, DataclassForm[Labels]):
    """The candidates whose scores by a metric and by people are shown."""

    only = LABELS


class ErrorsQuery(QueryForm, DataclassForm[DisagreementOptions]):
    """The two sides of the disagreements: a metric, and people or another metric."""

    only = (*LABELS, "count", "compare", "run", "other")
    chosen = ("count",)

    show = choice("both", "over", "under", default="both")

    def __init__(self, data: QueryDict | None = None, **options: Unpack[FormOptions]) -> None:
        super().__init__(data, **options)
        self.set_choices("count", [(str(count), str(count)) for count in COUNTS])


class DataQuery(QueryForm, DataclassForm[Labels]):
    """The search in a set's data (`services.data.search`)."""

    only = OF_CANDIDATES

    q = text()
    low = forms.FloatField(required=False)
    high = forms.FloatField(required=False)
    disagreement = forms.FloatField(required=False, min_value=0)
    sort = choice(*SORTS, default="position")
    page = forms.IntegerField(required=False, min_value=1, max_value=10**6, initial=1)


class PairsQuery(QueryForm, DataclassForm[DisagreementOptions]):
    """A metric's verdicts on minimal pairs."""

    only = ("run", "phenomenon")

    verdict = choice("all", "right", "tie", "wrong", default="all")
    metrics = choice("first", "all", default="first")
    page = forms.IntegerField(required=False, min_value=1, max_value=10**6, initial=1)
