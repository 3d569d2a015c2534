"""Query parameters of the page of correctness."""

from __future__ import annotations

from django import forms

from benchmarks.correctness.services import Options
from core.pages.derived import DataclassForm
from core.pages.queries import QueryForm, choice


class CorrectnessQuery(QueryForm, DataclassForm[Options]):
    """The options of the result, and the sort order and metric of the page."""

    only = ("gold", "rule", "tune", "report", "estimate", "mixed")

    sort = choice("f1", "accuracy", "balanced_accuracy", "auc", default="f1")
    metric = forms.IntegerField(required=False, min_value=1, max_value=2**62)
