"""What people fill in to have one answer scored."""

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
    """One answer; `texts` and `metrics` of a valid form are what to score."""

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
        help_text=f"Correct answers, one a line, at most {texts.MAX_REFERENCES}.",
    )
    candidate = forms.CharField(
        max_length=texts.MAX_CANDIDATE,
        widget=forms.Textarea(attrs={"rows": 2}),
        help_text="The answer to score.",
    )
    metrics = forms.CharField(
        required=False,
        max_length=texts.MAX_METRICS,
        help_text="Names apart by commas, such as bleu-1,lerc. Empty: every metric.",
        widget=forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"}),
    )

    def __init__(self, *args: Any, user: Any, **given: Any) -> None:
        super().__init__(*args, **given)
        self.user = user

    def clean_references(self) -> tuple[str, ...]:
        references = texts.one_line_each(self.cleaned_data["references"].splitlines())
        try:
            texts.refuse_references(references)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from error
        return references

    def clean_metrics(self) -> list[Metric]:
        try:
            return tryouts.chosen(self.cleaned_data["metrics"], self.user)
        except (scorers.MetricError, scorers.ModelError) as error:
            raise forms.ValidationError(to_sentence(error)) from error

    @property
    def texts(self) -> Texts:
        return Texts.of(self.cleaned_data)

    @property
    def chosen(self) -> list[Metric]:
        metrics: list[Metric] = self.cleaned_data["metrics"]
        return metrics


def filled(found: Texts, user: Any) -> TryOutForm:
    """The form as it was filled in for these texts."""
    references = "\n".join(found.references)
    return TryOutForm(initial={**found.to_json(), "references": references}, user=user)
