"""Forms of model judges."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Unpack

from django import forms
from django.http import QueryDict

from benchmarks.judging.models import ModelJudge
from benchmarks.judging.services import JudgeBudget, JudgeSpec
from benchmarks.judging.services.drafts import spec_of
from core.pages.derived import DataclassForm
from core.pages.options import FormOptions
from core.pages.queries import QueryForm


class BudgetForm(DataclassForm[JudgeBudget]):
    """The most that a judge may use."""


class NextVersionForm(DataclassForm[JudgeSpec]):
    """The next version of a judge: what its disagreements with people may change."""

    only = ("own_template", "shots", "name", "key", "max_tokens", "max_cost")
    optional = ("shots",)
    field_order = only
    labels = {"own_template": "Instructions"}
    heights = {"own_template": 12}
    widgets = {"key": forms.PasswordInput(attrs={"autocomplete": "off"})}

    def __init__(self, judge: ModelJudge, name: str, data: QueryDict | None = None) -> None:
        self._spec = spec_of(judge)
        names = ("own_template", "shots", "max_tokens", "max_cost")
        values = {one: getattr(self._spec, one) or None for one in names}
        super().__init__(data, initial=values | {"name": name})
        self.fields["own_template"].required = True
        if not (judge.prompt_price or judge.completion_price):
            del self.fields["max_cost"]

    def spec(self) -> JudgeSpec:
        """The judge of a valid form."""
        return replace(self._spec, **{"shots": 0} | self.values())  # type: ignore[arg-type]


class PreviousQuery(QueryForm, DataclassForm[JudgeSpec]):
    """The judge of which a new version is drafted."""

    only = ("previous",)


class ModelJudgeForm(DataclassForm[JudgeSpec]):
    """A model, its server, the prompt, and the budget."""

    only = tuple(one.name for one in fields(JudgeSpec) if one.name != "scale")
    required = ("endpoint", "model")
    optional = ("shots", "seed", "train_split")
    heights = {"own_template": 6}
    widgets = {
        "key": forms.PasswordInput(attrs={"autocomplete": "off"}),
        "previous": forms.HiddenInput(),
    }

    low = forms.IntegerField(required=False, label="Lowest score")
    high = forms.IntegerField(
        required=False, label="Highest score", help_text="Empty: the scale of the set."
    )
    field_order = (
        *("name", "endpoint", "model", "key", "template", "own_template", "pairs"),
        *("low", "high", "shots", "train_split", "seed", "probes"),
        *("temperature", "repeats", "max_completion", "threads", "logprobs", "json_schema"),
        *("max_tokens", "prompt_price", "completion_price", "max_cost"),
    )

    def __init__(self, data: QueryDict | None = None, **options: Unpack[FormOptions]) -> None:
        super().__init__(data, **options)
        self.fields["shots"].initial = None  # most judges have none

    def clean(self) -> dict[str, object]:
        values = super().clean() or {}
        if (values.get("low") is None) != (values.get("high") is None):
            raise forms.ValidationError("Enter both ends of the scale, or none.")
        return values

    @classmethod
    def of_next_version(cls, judge: ModelJudge) -> ModelJudgeForm:
        """The form of the next version of a judge: its own values, with its prompt to be changed.
        The key is entered again."""
        spec = spec_of(judge)
        values = {one.name: getattr(spec, one.name) for one in fields(spec)}
        values |= {"previous": judge.pk, "low": judge.low, "high": judge.high}
        return cls(initial=values)

    def spec(self, previous: ModelJudge | None) -> JudgeSpec:
        """The judge of a valid form, a new version of `previous`."""
        low, high = self.cleaned_data["low"], self.cleaned_data["high"]
        return self.value(previous=previous, scale=None if low is None else (low, high))
