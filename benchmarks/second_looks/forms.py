"""The form of a second look."""

from __future__ import annotations

from django import forms

from benchmarks.second_looks.inputs import NewSecondLook
from core.pages.derived import DataclassForm
from core.pages.queries import QueryForm

COUNTS = (20, 50, 100, 200)


class ShownQuery(QueryForm):
    """How many disagreements are listed."""

    count = forms.TypedChoiceField(
        choices=[(count, count) for count in COUNTS], coerce=int, required=False, initial=COUNTS[0]
    )


class SecondLookForm(DataclassForm[NewSecondLook]):
    """How many ratings each of the chosen candidates gets; the candidates are read apart."""

    only = ("ratings",)
