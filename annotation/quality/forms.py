"""Forms for ledger steps, exclusions, adjudication and answers."""

from __future__ import annotations

from typing import Any

from django import forms

from annotation.quality.bounds import (
    ADJUDICATED_VALUE,
    ADJUDICATION_NOTE,
    ANSWER,
    AT_MOST,
    KEY,
    NOTE,
    REASON,
    REASON_IS_SHOWN,
    WORKER,
)
from concord.filtering import LedgerError, MinimumSeconds, Step, WorkerFilter, ZScoreFilter
from concord.reliability import LEVELS, Level
from concord.sentences import to_sentence
from core.pages.bounded_fields import real_number, whole_number

STEP_KINDS = {
    "zscore": "z-score of ratings (KPQA)",
    "worker": "z-score of workers (Jung and Lease)",
    "minimum-seconds": "minimum seconds per rating",
}

STEPS_OF_CHOICES = ("minimum-seconds",)


class StepForm(forms.Form):
    """A filter to append to the ledger. `clean` stores it in `step`.

    The kind decides which fields apply. `threshold` is the z-score or the seconds. compares: raters
    compare candidates, and choices have no z-scores.
    """

    kind = forms.ChoiceField(label="Filter", choices=list(STEP_KINDS.items()))
    threshold = forms.FloatField(
        label="Threshold",
        initial=1,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text="z-score or seconds",
    )
    at_most = whole_number(AT_MOST, "Max. removed per candidate", initial=5)
    one_sided = forms.BooleanField(
        label="One-sided: remove only ratings that are too high", required=False
    )
    note = forms.CharField(label="Note", required=False, max_length=NOTE.max_chars)

    def __init__(self, *args: Any, compares: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.step: Step | None = None
        if compares:
            kind = self.fields["kind"]
            assert isinstance(kind, forms.ChoiceField)
            kind.choices = [(name, STEP_KINDS[name]) for name in STEPS_OF_CHOICES]
            self.fields["threshold"].help_text = "seconds"
            del self.fields["at_most"], self.fields["one_sided"]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if self.errors:
            return values
        threshold = values["threshold"]
        try:
            if values["kind"] == "zscore":
                at_most = values["at_most"] or 5
                self.step = ZScoreFilter(threshold, at_most, one_sided=values["one_sided"])
            elif values["kind"] == "worker":
                self.step = WorkerFilter(threshold)
            else:
                self.step = MinimumSeconds(threshold)
        except LedgerError as error:
            self.add_error("threshold", to_sentence(error))
        return values


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label="Reason",
        max_length=REASON.max_chars,
        help_text=REASON_IS_SHOWN,
        error_messages={"required": "Enter a reason: the worker reads it."},
    )


class DropRatingForm(forms.Form):
    candidate = forms.CharField(label="Candidate", max_length=KEY.max_chars, strip=False)
    worker = forms.CharField(label="Worker", max_length=WORKER.max_chars)
    reason = forms.CharField(label="Reason", max_length=REASON.max_chars, required=False)


class AdjudicationForm(forms.Form):
    value = real_number(ADJUDICATED_VALUE, "Value", required=True)
    note = forms.CharField(label="Note", required=False, max_length=ADJUDICATION_NOTE.max_chars)


class AnswerForm(forms.Form):
    answer = forms.CharField(
        label="Answer",
        max_length=ANSWER.max_chars,
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
        error_messages={"required": "Write an answer first."},
    )
    readmit = forms.BooleanField(label="Readmit the worker", required=False)


def chosen_level(name: str, default: Level = "ordinal") -> Any:
    """The level of measurement in a page's query; `default` if it is invalid."""
    return name if name in LEVELS else default
