"""The form of a try-out."""

from __future__ import annotations

from typing import Unpack

from django import forms
from django.http import QueryDict

import scorers
from benchmarks.tryouts import services as tryouts
from benchmarks.tryouts.services.texts import MAX_REFERENCES, NewTryOut, TryOutTexts
from concord.sentences import to_sentence
from core.accounts.roles import SiteUser
from core.pages.derived import DataclassForm
from core.pages.options import FormOptions
from scorers import Metric


class TryOutForm(DataclassForm[NewTryOut]):
    """An answer to score, with the properties `texts` and `selected_metrics` of a valid form."""

    help_texts = {"references": f"Correct answers, one per line, at most {MAX_REFERENCES}."}
    heights = {"passage": 5, "references": 2, "candidate": 2}
    widgets = {"metrics": forms.TextInput(attrs={"autocomplete": "off", "spellcheck": "false"})}
    field_order = ("passage", "question", "references", "candidate", "metrics")

    def __init__(
        self, data: QueryDict | None = None, *, user: SiteUser, **options: Unpack[FormOptions]
    ) -> None:
        super().__init__(data, **options)
        self.user = user

    def clean_metrics(self) -> list[Metric]:
        try:
            return tryouts.select_metrics(self.cleaned_data["metrics"], self.user)
        except (scorers.MetricError, scorers.ModelError) as error:
            raise forms.ValidationError(to_sentence(error)) from error

    @property
    def texts(self) -> TryOutTexts:
        return TryOutTexts.from_values(self.cleaned_data)

    @property
    def selected_metrics(self) -> list[Metric]:
        metrics: list[Metric] = self.cleaned_data["metrics"]
        return metrics


def filled_form(values: TryOutTexts, user: SiteUser) -> TryOutForm:
    """The form with these texts."""
    return TryOutForm(initial={**values.to_json()}, user=user)
