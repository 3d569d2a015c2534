"""Steps of the ledger, exclusions, settled values and answers, as forms."""

from __future__ import annotations

from typing import Any

from django import forms

from annotation.quality.bounds import (
    ANSWER,
    AT_MOST,
    KEY,
    NOTE,
    REASON,
    SETTLED_NOTE,
    SETTLED_VALUE,
    WORKER,
)
from concord.filtering import LedgerError, MinimumSeconds, Step, Worker, ZScore
from concord.reliability import LEVELS
from concord.sentences import to_sentence
from core.pages.bounded_fields import real_number, whole_number

STEP_KINDS = {
    "zscore": "z-score of ratings (KPQA)",
    "worker": "z-score of workers (Jung and Lease)",
    "minimum-seconds": "fewest seconds a rating",
}


class StepForm(forms.Form):
    """A filter to append to the ledger. `clean` leaves it in `step`.

    Which fields count depends on the kind; `threshold` holds the z-score or the seconds.
    """

    kind = forms.ChoiceField(label="Filter", choices=list(STEP_KINDS.items()))
    threshold = forms.FloatField(
        label="Threshold",
        initial=1,
        widget=forms.NumberInput(attrs={"step": "any"}),
        help_text="z-score, or seconds",
    )
    at_most = whole_number(AT_MOST, "At most", initial=5)
    one_sided = forms.BooleanField(label="one-sided: only ratings too high", required=False)
    note = forms.CharField(label="Note", required=False, max_length=NOTE.max_chars)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.step: Step | None = None

    def clean(self) -> dict[str, Any]:
        values = super().clean() or {}
        if self.errors:
            return values
        threshold = values["threshold"]
        try:
            if values["kind"] == "zscore":
                at_most = values["at_most"] or 5
                self.step = ZScore(threshold, at_most, one_sided=values["one_sided"])
            elif values["kind"] == "worker":
                self.step = Worker(threshold)
            else:
                self.step = MinimumSeconds(threshold)
        except LedgerError as error:
            self.add_error("threshold", to_sentence(error))
        return values


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label="Reason",
        max_length=REASON.max_chars,
        error_messages={"required": "Give a reason: the worker may ask for it."},
    )


class DropRatingForm(forms.Form):
    candidate = forms.CharField(label="Candidate", max_length=KEY.max_chars, strip=False)
    worker = forms.CharField(label="Worker", max_length=WORKER.max_chars)
    reason = forms.CharField(label="Reason", max_length=REASON.max_chars, required=False)


class SettleForm(forms.Form):
    value = real_number(SETTLED_VALUE, "Value", required=True)
    note = forms.CharField(label="Note", required=False, max_length=SETTLED_NOTE.max_chars)


class AnswerForm(forms.Form):
    answer = forms.CharField(
        label="Answer",
        max_length=ANSWER.max_chars,
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
        error_messages={"required": "Write an answer first."},
    )
    readmit = forms.BooleanField(label="readmit the worker", required=False)


def chosen_level(given: str) -> Any:
    """A level of measurement from a page's query; ordinal for anything else."""
    return given if given in LEVELS else "ordinal"
