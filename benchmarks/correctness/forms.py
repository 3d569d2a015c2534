"""Query parameters of the page of correctness."""

from __future__ import annotations

from django import forms

from benchmarks.analyses.queries import AnalysisQuery, with_parameters
from benchmarks.correctness.services import CorrectnessOptions
from benchmarks.correctness.services.options import CorrectnessParameters
from concord.bounds import bounded_fields
from core.pages.queries import FormValues, choice


@with_parameters(CorrectnessParameters)
class CorrectnessQueryForm(AnalysisQuery):
    """The options of the result, and the sort order and metric of the page."""

    split_fields = ("sort", "metric")
    sort = choice("f1", "accuracy", "balanced_accuracy", "auc", default="f1")
    metric = forms.IntegerField(required=False, min_value=1, max_value=2**62)


def options_of(query: FormValues) -> CorrectnessOptions:
    """The options that a query names."""
    return CorrectnessOptions(
        **{one.name: query[one.name] for one in bounded_fields(CorrectnessParameters)}
    )
