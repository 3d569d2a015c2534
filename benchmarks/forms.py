"""What people may ask of a page: its query, checked, and the form that starts metric runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django import forms
from django.http import QueryDict

import scorers
from benchmarks.analyses.services import KINDS
from benchmarks.runs.services.asking import metrics_asked_for
from concord.meta import correctness
from concord.meta import inference as meta
from concord.meta.board import GROUPINGS
from core.pages.errors import UnknownChoiceError
from scorers import Metric

PLANE = KINDS["plane"]
COEFFICIENTS = ("pearson", "spearman", "kendall")
SORTS = ("metric", *COEFFICIENTS, "pairs", "speed")
COUNTS = (10, 20, 50, 100)
DEFAULT_COUNT = 20
# Columns of the board that can be left out, as its page calls them.
COLUMNS = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
    "ceiling": "Of the ceiling",
    "pairs": "Pairs",
    "systems": "Systems",
    "f1": "F1",
    "speed": "Items/s",
}
TESTS = ("adjusted", "perm-both", "paired-bootstrap", "williams")


class QueryForm(forms.Form):
    """A page's query. Every field may be absent and then has its default."""

    @classmethod
    def read(cls, query: QueryDict, **options: Any) -> dict[str, Any]:
        """The query's values; raises UnknownChoiceError for one that a field does not allow."""
        form = cls(query, **options)
        if not form.is_valid():
            field, messages = next(iter(form.errors.items()))
            raise UnknownChoiceError(f"{field}: {' '.join(map(str, messages))}")
        return form.cleaned_data | {
            name: field.initial
            for name, field in form.fields.items()
            if form.cleaned_data[name] in ("", None) and field.initial is not None
        }


def _choice(*allowed: str, default: str) -> forms.ChoiceField:
    return forms.ChoiceField(
        choices=[(name, name) for name in allowed],
        required=False,
        initial=default,
        error_messages={
            "invalid_choice": f"there is no “%(value)s”; there are {', '.join(allowed)}."
        },
    )


def _text() -> forms.CharField:
    return forms.CharField(required=False, max_length=500, strip=False)


class BoardQuery(QueryForm):
    by = _choice("none", *GROUPINGS, default="none")
    group = _text()
    sort = _choice(*SORTS, default="pearson")
    direction = _choice("best", "worst", default="best")
    metric = _text()
    columns = forms.MultipleChoiceField(choices=list(COLUMNS.items()), required=False)

    def clean_columns(self) -> list[str]:
        """The columns asked for, in the board's order; none: the page decides."""
        return [name for name in COLUMNS if name in self.cleaned_data["columns"]]


class ComparisonQuery(QueryForm):
    """Which agreement with people, on which part of the set, and by which test of pairs."""

    coefficient = _choice(*meta.COEFFICIENTS, default="pearson")
    average = _choice(*meta.GROUPINGS, default="none")
    resample = _choice(*meta.RESAMPLES, default="instances")
    unit = _choice("candidate", "instance", "passage", default="candidate")
    test = _choice(*TESTS, default="adjusted")
    part = _text()
    by = _choice("", *GROUPINGS, default="")
    group = _text()

    def clean(self) -> dict[str, Any]:
        """`part`, as in "system:gpt2", is how one select names a grouping and its group."""
        values = super().clean() or {}
        by, colon, group = values.get("part", "").partition(":")
        if colon:
            if by not in GROUPINGS:
                raise forms.ValidationError(f"there is no grouping “{by}”.")
            values["by"], values["group"] = by, group
        return values

    @classmethod
    def asked(cls, values: dict[str, Any]) -> dict[str, Any]:
        """What of the query an analysis is asked for with."""
        names = ("coefficient", "average", "resample", "unit", "by", "group")
        return {name: values[name] for name in names}


class PlaneQuery(QueryForm):
    """How the evaluation plane's grid is made, and where people say that it lies."""

    stems = _choice(*PLANE.allowed["stems"], default="porter")
    stops = _choice(*PLANE.allowed["stops"], default="none")
    level = _choice(*PLANE.allowed["level"], default="set")
    penalty = _choice(*PLANE.allowed["penalty"], default="intended")
    wordiness = _choice(*PLANE.allowed["wordiness"], default="2")
    guideline = _choice(*PLANE.allowed["guideline"], default="")
    application = _choice(*PLANE.allowed["application"], default="")
    flooded = _choice(*PLANE.allowed["flooded"], default="no")


class CorrectnessQuery(QueryForm):
    """Which answers are correct, what tunes thresholds, and what is shown of it."""

    gold = forms.FloatField(required=False)
    rule = _choice(*correctness.RULES, default="f1")
    tune = _text()
    report = _text()
    estimate = _choice(*correctness.ESTIMATES, default="threshold")
    mixed = forms.BooleanField(required=False)
    sort = _choice("f1", "accuracy", "balanced_accuracy", "auc", default="f1")
    metric = forms.IntegerField(required=False, min_value=1, max_value=2**62)


class LabelsQuery(QueryForm):
    """Restricts candidates to those with these labels; empty: all."""

    constituent = _text()
    system = _text()
    category = _text()
    split = _text()
    type = _text()
    length = _text()
    references = _text()

    @classmethod
    def labels(cls, values: dict[str, Any]) -> dict[str, str]:
        return {name: values[name] for name in GROUPINGS if values[name]}


class RunQuery(LabelsQuery):
    show = _choice("both", "over", "under", default="both")
    count = forms.TypedChoiceField(
        choices=[(count, count) for count in COUNTS],
        coerce=int,
        required=False,
        initial=DEFAULT_COUNT,
    )


class ErrorsQuery(RunQuery):
    """Which two disagree: a metric with people, or with another metric; by rank or by score."""

    compare = _choice("rank", "score", default="rank")
    run = forms.IntegerField(required=False, min_value=1, max_value=2**62)
    other = forms.IntegerField(required=False, min_value=1, max_value=2**62)


class RankPairsQuery(QueryForm):
    threshold = forms.FloatField(required=False, min_value=0.01, max_value=1e6, initial=2.0)
    run = forms.IntegerField(required=False, min_value=1, max_value=2**62)


class PairsQuery(QueryForm):
    run = forms.IntegerField(required=False, min_value=1, max_value=2**62)
    phenomenon = _text()
    verdict = _choice("all", "right", "tie", "wrong", default="all")
    page = forms.IntegerField(required=False, min_value=1, max_value=10**6, initial=1)


class SetQuery(QueryForm):
    constituent = _text()


class StartRunsForm(forms.Form):
    """Which metrics to run: ticked ones, and any with options written out."""

    metrics = forms.MultipleChoiceField(required=False)
    more = forms.CharField(required=False, max_length=2000)
    multi_ref = forms.ChoiceField(
        choices=[("max", "the best single reference"), ("joint", "the metric's own way")],
        initial="max",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["metrics"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(name, name) for name in scorers.names()]

    def families(self) -> Iterator[tuple[str, list[tuple[Metric, bool]]]]:
        """The registry's metrics by family, each with whether it is ticked."""
        ticked = set(self.data.getlist("metrics")) if isinstance(self.data, QueryDict) else set()
        families: dict[str, list[tuple[Metric, bool]]] = {}
        for name in scorers.names():
            metric = scorers.parse_metrics(name)[0]
            families.setdefault(metric.family, []).append((metric, name in ticked))
        yield from families.items()

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if self.errors:
            return values
        named = [*values["metrics"], *([values["more"]] if values["more"].strip() else [])]
        if not named:
            raise forms.ValidationError("Choose at least one metric.")
        try:
            values["parsed"] = metrics_asked_for(",".join(named), values["multi_ref"])
        except (scorers.MetricError, scorers.ModelError) as error:
            message = str(error)
            self.add_error("more", message[:1].upper() + message[1:] + ".")
        return values


class LabelsForm(forms.Form):
    """By which run of AVA a set's unjudged answers are labelled, and from which probability on an
    answer is correct; empty is the latest run and its checkpoint's threshold."""

    metric = forms.CharField(required=False, max_length=200)
    threshold = forms.FloatField(required=False, min_value=0, max_value=1)
