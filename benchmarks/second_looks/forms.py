"""The form of a second look."""

from __future__ import annotations

from django import forms

from annotation.stages.services.second_looks import RATINGS
from core.pages.queries import QueryForm

COUNTS = (20, 50, 100, 200)
DEFAULT_RATINGS = 3


class ShownQuery(QueryForm):
    """How many disagreements are listed."""

    count = forms.TypedChoiceField(
        choices=[(count, count) for count in COUNTS], coerce=int, required=False, initial=COUNTS[0]
    )


class SecondLookForm(forms.Form):
    """How many ratings each of the chosen candidates gets; the candidates are read apart."""

    ratings = forms.IntegerField(
        min_value=int(RATINGS.minimum),
        max_value=int(RATINGS.maximum),
        initial=DEFAULT_RATINGS,
        label="New ratings of each candidate",
    )
