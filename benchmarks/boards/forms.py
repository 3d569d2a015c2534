"""What may be asked of boards, pairs and the list of sets."""

from __future__ import annotations

from typing import Literal, TypedDict, cast

from django import forms
from django.http import QueryDict

from concord.meta.board import GROUPINGS
from concord.meta.table import COEFFICIENTS
from core.pages.queries import QueryForm, choice, text

Plotted = Literal["pearson", "spearman", "kendall", "pairs"]
Sort = Literal["metric", "pearson", "spearman", "kendall", "pairs", "speed"]
SORTS: tuple[Sort, ...] = ("metric", *COEFFICIENTS, "pairs", "speed")
# Columns of the board that can be left out, as its page calls them.
COLUMNS = {
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": "Kendall",
    "ceiling": "% of human agreement",
    "pairs": "Pairs",
    "systems": "Systems",
    "f1": "F1",
    "speed": "Items/s",
}


class BoardOptions(TypedDict):
    """Which rows of a board a page shows, in which order, with which columns."""

    by: str
    group: str
    sort: Sort
    direction: Literal["best", "worst"]
    metric: str
    columns: list[str]


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


def board_options(query: QueryDict) -> BoardOptions:
    """A page's query as options; raises UnknownChoiceError for a value that is not allowed."""
    return cast(BoardOptions, BoardQuery.read(query))


class SetQuery(QueryForm):
    constituent = text()
