"""Query parameters of the page of correctness."""

from __future__ import annotations

from django import forms

from benchmarks.correctness.services import Options
from concord.bounds import find_bound
from concord.meta import correctness
from core.pages.bounded_fields import real_number
from core.pages.queries import QueryForm, choice, text


class CorrectnessQuery(QueryForm):
    """The options of the result, and the sort order and metric of the page."""

    gold = real_number(find_bound(Options, "gold"), "Correct from")
    rule = choice(*correctness.RULES, default="f1")
    tune = text()
    report = text()
    estimate = choice(*correctness.ESTIMATES, default="threshold")
    mixed = forms.BooleanField(required=False)
    sort = choice("f1", "accuracy", "balanced_accuracy", "auc", default="f1")
    metric = forms.IntegerField(required=False, min_value=1, max_value=2**62)
