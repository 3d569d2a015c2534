"""The form that assigns a meaning to each column of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Unpack

from django import forms
from django.http import QueryDict

from concord.formats.tables import (
    KEY,
    PreviewRow,
    guess_judged,
    guess_meanings,
    likely_raters,
    mapping_problems,
)
from core.pages.options import FormOptions
from core.pages.queries import FormValues

# By the headings under which a column's menu lists them.
LABELS = {
    "Texts": {
        "candidate": "Candidate answer",
        "question": "Question",
        "reference": "Reference answer",
        "passage": "Passage",
        "short_answer": "Short answer",
    },
    "Names": {
        "id": "Id",
        "instance": "Instance",
        "system": "System",
        "constituent": "Constituent",
        "split": "Split",
        "category": "Category",
    },
    "Judgments": {"score": "Score"},
}
JUDGED_LABELS = {
    "Texts": LABELS["Texts"],
    "Judgments": {
        "rating": "One rater's ratings",
        **LABELS["Judgments"],
        "rater": "Rater",
        "criterion": "Criterion",
    },
    "Pairs": {
        "choice": "Choice",
        "candidate1": "First candidate",
        "candidate2": "Second candidate",
        "system1": "First system",
        "system2": "Second system",
    },
    "Names": LABELS["Names"],
}
KEY_CHOICE = (KEY, "Correct answer to the criterion of this name")


class ColumnsForm(forms.Form):
    """The meaning of each column, by default a guess by its heading.

    `table` has the header, samples, sheets, sheet and numeric columns of a `Preview`. `chosen`:
    earlier meanings. `keys`: whether columns may be the correct answers to criteria. `judged`:
    whether they may be ratings and choices; columns of numbers that nobody knows are then proposed
    as raters.
    """

    sheet = forms.CharField(required=False, max_length=200, widget=forms.HiddenInput, strip=False)

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        table: PreviewRow,
        chosen: Sequence[str] = (),
        keys: bool = False,
        judged: bool = False,
        **options: Unpack[FormOptions],
    ) -> None:
        super().__init__(data, **options)
        self.table = table
        self.header = table["header"]
        groups = (JUDGED_LABELS if judged else LABELS).items()
        choices: list[tuple[str, object]] = [("", "Ignore column")]
        choices += [(group, list(labels.items())) for group, labels in groups]
        choices += [KEY_CHOICE] if keys and not judged else []
        numeric = table.get("numeric", ())
        guess_by_headings = guess_judged if judged else guess_meanings
        guesses = list(chosen) or guess_by_headings(self.header, numeric)
        self.likely_raters = []
        if judged and not chosen and not {"score", "choice", "rating"} & set(guesses):
            self.likely_raters = likely_raters(self.header, guesses, numeric)
        for at in self.likely_raters:
            guesses[at] = "rating"
        for index, (name, guess) in enumerate(zip(self.header, guesses, strict=True)):
            self.fields[f"column_{index}"] = forms.ChoiceField(
                label=name, choices=choices, required=False, initial=guess
            )
        self.fields["sheet"].initial = table["sheet"]

    def columns(self) -> list[tuple[forms.BoundField, list[str]]]:
        """The field and the samples of each column."""
        fields = [self[f"column_{index}"] for index in range(len(self.header))]
        return list(zip(fields, self.table["samples"], strict=True))

    def sheets(self) -> list[str]:
        """The workbook's sheets, if there are several."""
        sheets = self.table.get("sheets", [])
        return sheets if len(sheets) > 1 else []

    def meanings(self) -> list[str]:
        return [self.cleaned_data[f"column_{index}"] for index in range(len(self.header))]

    def clean(self) -> FormValues:
        values = super().clean() or {}
        if not self.errors:
            for problem in mapping_problems(self.meanings(), without_references=True):
                self.add_error(None, problem)
        return values
