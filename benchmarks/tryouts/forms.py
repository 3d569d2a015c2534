"""The form of a try-out."""

from __future__ import annotations

from typing import Any

from django import forms

import scorers
from benchmarks.tryouts import services as tryouts
from benchmarks.tryouts.services import texts
from benchmarks.tryouts.services.texts import Texts
from concord.sentences import to_sentence
from scorers import Metric


class TryOutForm(forms.Form):
    """An answer to score, with the properties `texts` and `selected_metrics` of a valid form."""

    passage = forms.CharField(
        required=False,
        max_length=texts.MAX_PASSAGE,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="Read by LERC.",
    )
    question = forms.CharField(
        required=False,
        max_length=texts.MAX_QUESTION,
        help_text="Read by LERC, AVA and KPQA's metrics.",
    )
    references = forms.CharField(
        max_length=texts.MAX_REFERENCES * (texts.MAX_REFERENCE + 2),
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text=f"Correct answers, one per line, at most {texts.MAX_REFERENCES}.",
    )
    candidate = forms.CharField(
        max_length=texts.MAX_CANDIDATE,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="The answer to score.",
    )
    metrics = forms.CharField(
        required=False,
        max_length=texts.MAX_METRICS,
        help_text="Names separated by commas, such as bleu-1,lerc. If empty, all metrics.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, user: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user

    def clean_references(self) -> tuple[str, ...]:
        references = texts.join_lines(self.cleaned_data["references"].splitlines())
        try:
            texts.check_references(references)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error
        return references

    def clean_metrics(self) -> list[Metric]:
        try:
            return tryouts.select_metrics(self.cleaned_data["metrics"], self.user)
        except (scorers.MetricError, scorers.ModelError) as error:
            raise forms.ValidationError(to_sentence(error)) from error

    @property
    def texts(self) -> Texts:
        return Texts.from_values(self.cleaned_data)

    @property
    def selected_metrics(self) -> list[Metric]:
        metrics: list[Metric] = self.cleaned_data["metrics"]
        return metrics


def filled_form(values: Texts, user: Any) -> TryOutForm:
    """The form with these texts."""
    references = "\n".join(values.references)
    return TryOutForm(initial={**values.to_json(), "references": references}, user=user)
