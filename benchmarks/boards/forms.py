"""What may be asked of boards, pairs and the list of sets."""

from __future__ import annotations

from django import forms

from concord.meta.board import GROUPINGS
from core.pages.queries import QueryForm, choice, text

COEFFICIENTS = ("pearson", "spearman", "kendall")
SORTS = ("metric", *COEFFICIENTS, "pairs", "speed")
# Columns of the board that can be left out, as its page calls them.
COLUMNS = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
    "ceiling": "Of the ceiling",
    "pairs": "Pairs",
    "systems": "Systems",
    "f1": "F1",
    "speed": "Items/s",
}


class BoardQuery(QueryForm):
    by = choice("none", *GROUPINGS, default="none")
    group = text()
    sort = choice(*SORTS, default="pearson")
    direction = choice("best", "worst", default="best")
    metric = text()
    columns = forms.MultipleChoiceField(choices=list(COLUMNS.items()), required=False)

    def clean_columns(self) -> list[str]:
        """The columns asked for, in the board's order; none: the page decides."""
        return [name for name in COLUMNS if name in self.cleaned_data["columns"]]


class SetQuery(QueryForm):
    constituent = text()
