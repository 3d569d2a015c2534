"""Forms for ledger steps, exclusions, adjudication and answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

from django import forms

from annotation.quality.inputs import KEY, AdjudicatedValue, MessageAnswer, Reason, StepInput
from concord.filtering import LedgerError, MinimumSeconds, Step, WorkerFilter, ZScoreFilter
from concord.reliability import LEVELS, Level
from concord.sentences import to_sentence
from core.pages.derived import DataclassForm
from core.pages.options import FormOptions

STEP_KINDS = {
    "zscore": "z-score of ratings (KPQA)",
    "worker": "z-score of workers (Jung and Lease)",
    "minimum-seconds": "minimum seconds per rating",
}

STEPS_OF_CHOICES = ("minimum-seconds",)


class StepForm(DataclassForm[StepInput]):
    """A filter to append to the ledger. `clean` stores it in `step`.

    The kind decides which fields apply. `threshold` is the z-score or the seconds. compares: raters
    compare candidates, and choices have no z-scores.
    """

    only = ("kind", "threshold", "at_most", "one_sided", "note")
    optional = ("at_most",)
    labels = {"kind": "Filter"}
    help_texts = {"threshold": "z-score or seconds"}

    def __init__(
        self,
        data: Mapping[str, object] | None = None,
        *,
        compares: bool = False,
        **options: Unpack[FormOptions],
    ) -> None:
        super().__init__(data, **options)
        self.step: Step | None = None
        kinds = STEPS_OF_CHOICES if compares else STEP_KINDS
        self.set_choices("kind", [(name, STEP_KINDS[name]) for name in kinds])
        if compares:
            self.fields["threshold"].help_text = "seconds"
            del self.fields["at_most"], self.fields["one_sided"]

    def clean(self) -> dict[str, object]:
        values = super().clean() or {}
        if self.errors:
            return values
        step = self.value()
        try:
            if step.kind == "zscore":
                self.step = ZScoreFilter(step.threshold, step.at_most, one_sided=step.one_sided)
            elif step.kind == "worker":
                self.step = WorkerFilter(step.threshold)
            else:
                self.step = MinimumSeconds(step.threshold)
        except LedgerError as error:
            self.add_error("threshold", to_sentence(error))
        return values


class ReasonForm(DataclassForm[Reason]):
    """Why a worker is excluded."""


class DropRatingForm(DataclassForm[StepInput]):
    """The rating that a step excludes."""

    only = ("worker", "reason")
    required = ("worker",)

    candidate = forms.CharField(label="Candidate", max_length=KEY.max_chars, strip=False)


class AdjudicationForm(DataclassForm[AdjudicatedValue]):
    only = ("value", "note")


class AnswerForm(DataclassForm[MessageAnswer]):
    help_texts = {"readmit": ""}


def chosen_level(name: str, default: Level = "ordinal") -> Level:
    """The level of measurement in a page's query; `default` if it is invalid."""
    return next((level for level in LEVELS if level == name), default)
