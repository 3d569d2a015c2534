"""Forms of model judges."""

from __future__ import annotations

from typing import Any, cast

from django import forms
from django.conf import settings

from benchmarks.judging.models import MAX_TEMPLATE, ModelJudge
from benchmarks.judging.services import (
    MAX_BUDGET,
    MAX_COMPLETION,
    MAX_KEY,
    MAX_MONEY,
    MAX_REPEATS,
    MAX_SEED,
    MAX_SHOTS,
    MAX_THREADS,
    OWN_TEMPLATE,
    PAIRS,
    TEMPLATES,
    TRAIN,
    JudgeSpec,
)
from core.column_bounds import max_length
from core.pages.queries import QueryForm

PROBES = {
    "injection": "with an instruction to give the highest score inside each candidate",
    "no-references": "without references",
}


class BudgetForm(forms.Form):
    """The most that a judge may use."""

    max_tokens = forms.IntegerField(
        min_value=1, max_value=MAX_BUDGET, label="Budget in tokens", help_text="Never exceeded."
    )
    max_cost = forms.FloatField(
        min_value=0, max_value=MAX_MONEY, required=False, label="Budget in money"
    )


class PreviousQuery(QueryForm):
    """The judge of which a new version is drafted."""

    previous = forms.IntegerField(required=False, min_value=1, max_value=2**62)


class ModelJudgeForm(BudgetForm):
    """A model, its server, the prompt, and the budget."""

    name = forms.CharField(
        max_length=max_length(ModelJudge, "name"),
        help_text="The name on the board: letters, digits, spaces and . + @ # & - only.",
    )
    endpoint = forms.URLField(
        max_length=max_length(ModelJudge, "endpoint"),
        assume_scheme="https",
        help_text="The base URL of a server of the OpenAI chat protocol, such as "
        "https://api.openai.com/v1.",
    )
    model = forms.CharField(max_length=max_length(ModelJudge, "model"), label="Model")
    key = forms.CharField(
        max_length=MAX_KEY,
        required=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text="Stored encrypted, shown to nobody, and deleted when the judge is complete.",
    )
    local_model = forms.ChoiceField(
        required=False,
        label="Or a model on this site",
        help_text="In the place of a server: nothing leaves this site, and it costs nothing. Leave "
        "server, model, key and prices empty.",
    )
    template = forms.ChoiceField(
        choices=TEMPLATES.items(),
        label="The model gives",
    )
    own_template = forms.CharField(
        max_length=MAX_TEMPLATE,
        required=False,
        widget=forms.Textarea(attrs={"rows": 6}),
        help_text="With {question}, {passage}, {references}, {candidate}, {low} and {high}. If it "
        "asks for a last line “Score: N”, the model may explain itself first. With {examples}, "
        "rated candidates are shown; with {first} and {second}, pairs are compared.",
    )
    pairs = forms.ChoiceField(
        choices=[("", "minimal pairs if the set has any, else judged pairs"), *PAIRS.items()],
        required=False,
        label="Pairs to compare",
        help_text="For a template of pairs. Judged pairs are those between which people chose.",
    )
    shots = forms.IntegerField(
        min_value=0,
        max_value=MAX_SHOTS,
        required=False,
        label="Examples",
        help_text="Of candidates of the train split, which are sent with people's scores and are "
        "not judged themselves.",
    )
    train_split = forms.CharField(
        max_length=max_length(ModelJudge, "train_split"),
        required=False,
        initial=TRAIN,
        label="Train split",
    )
    seed = forms.IntegerField(
        min_value=0, max_value=MAX_SEED, required=False, initial=0, label="Seed of the examples"
    )
    probes = forms.MultipleChoiceField(
        choices=PROBES.items(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        label="Ask again",
        help_text="Each adds a request about each candidate; the judge's page says what changes.",
    )
    low = forms.IntegerField(required=False, label="Lowest score")
    high = forms.IntegerField(
        required=False, label="Highest score", help_text="Empty: the scale of the set."
    )
    temperature = forms.FloatField(min_value=0, max_value=2, initial=0.0)
    repeats = forms.IntegerField(
        min_value=1,
        max_value=MAX_REPEATS,
        initial=1,
        label="Answers about each candidate",
        help_text="Several show how stable the judge is.",
    )
    max_completion = forms.IntegerField(
        min_value=1,
        max_value=MAX_COMPLETION,
        required=False,
        label="Most tokens of an answer",
        help_text="Empty: 16, or 512 with an explanation.",
    )
    threads = forms.IntegerField(
        min_value=1, max_value=MAX_THREADS, initial=4, label="Requests at once"
    )
    logprobs = forms.BooleanField(
        required=False,
        initial=True,
        label="Ask for log-probabilities",
        help_text="The score is then the mean of the labels by their probabilities (G-Eval).",
    )
    json_schema = forms.BooleanField(
        required=False,
        label="Ask for answers by JSON schema",
        help_text="In text if the server refuses.",
    )
    prompt_price = forms.FloatField(
        min_value=0, max_value=MAX_MONEY, initial=0, label="Price of a million prompt tokens"
    )
    completion_price = forms.FloatField(
        min_value=0, max_value=MAX_MONEY, initial=0, label="Price of a million answered tokens"
    )
    previous = forms.IntegerField(
        required=False, min_value=1, max_value=2**62, widget=forms.HiddenInput
    )
    field_order = (
        *("name", "endpoint", "model", "key", "local_model", "template", "own_template", "pairs"),
        *("low", "high", "shots", "train_split", "seed", "probes"),
        *("temperature", "repeats", "max_completion", "threads", "logprobs", "json_schema"),
        *("max_tokens", "prompt_price", "completion_price", "max_cost"),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not settings.LOCAL_JUDGES:
            del self.fields["local_model"]
            return
        field = cast(forms.ChoiceField, self.fields["local_model"])
        field.choices = [("", "none"), *((name, name) for name in settings.LOCAL_JUDGES)]
        for name in ("endpoint", "model"):
            self.fields[name].required = False

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if (values.get("low") is None) != (values.get("high") is None):
            raise forms.ValidationError("Enter both ends of the scale, or none.")
        return values

    @classmethod
    def of_next_version(cls, judge: ModelJudge) -> ModelJudgeForm:
        """The form of the next version of a judge: its own values, with its prompt to be changed.
        The key is entered again."""
        names = (
            *("endpoint", "low", "high", "shots", "train_split", "seed", "probes"),
            *("temperature", "repeats", "max_completion", "threads", "logprobs", "json_schema"),
            *("max_tokens", "prompt_price", "completion_price", "max_cost"),
        )
        values = {name: getattr(judge, name) for name in names}
        values["train_split"] = values["train_split"] or TRAIN
        values["pairs"] = judge.judged if judge.is_of_pairs else ""
        values["local_model" if judge.is_local else "model"] = judge.model
        own = {"template": OWN_TEMPLATE, "own_template": judge.template, "previous": judge.pk}
        return cls(initial=values | own)

    def spec(self, previous: ModelJudge | None) -> JudgeSpec:
        """The judge of a valid form, a new version of `previous`."""
        values = dict(self.cleaned_data)
        values["previous"] = previous
        low, high = values.pop("low"), values.pop("high")
        values |= {name: values[name] or 0 for name in ("shots", "seed")}
        return JudgeSpec(**values, scale=None if low is None else (low, high))
