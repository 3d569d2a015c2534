"""Query parameters of boards and judgment sets."""

from __future__ import annotations

from typing import Literal, TypedDict, Unpack, cast

from django import forms
from django.http import QueryDict

from concord.documents.board import COEFFICIENTS
from concord.meta.board import GROUPINGS
from core.pages.options import FormOptions
from core.pages.queries import QueryForm, choice, row_number, text

Plotted = Literal["pearson", "spearman", "kendall", "pairs"]
Sort = Literal["metric", "pearson", "spearman", "kendall", "pairs", "speed"]
SORTS: tuple[Sort, ...] = ("metric", *COEFFICIENTS, "pairs", "speed")
# Optional columns of the board, with their titles.
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
    """The rows of a board on a page, their order and the columns."""

    by: str
    group: str
    sort: Sort
    direction: Literal["best", "worst"]
    metric: str
    columns: list[str]
    details: Literal["hide", "show"]


class BoardQueryForm(QueryForm):
    by = choice("none", *GROUPINGS, default="none")
    group = text()
    sort = choice(*SORTS, default="pearson")
    direction = choice("best", "worst", default="best")
    metric = text()
    details = choice("hide", "show", default="hide")
    columns = forms.MultipleChoiceField(choices=list(COLUMNS.items()), required=False)

    def clean_columns(self) -> list[str]:
        """The selected columns in the board's order; without any, the page selects them."""
        return [name for name in COLUMNS if name in self.cleaned_data["columns"]]


def board_options(query: QueryDict) -> BoardOptions:
    """Options from a page's query. Raises RefusedError for a value that is not allowed."""
    return cast(BoardOptions, BoardQueryForm.read(query))


class SideBySideQuery(QueryForm):
    """The metric runs to show side by side."""

    run = forms.TypedMultipleChoiceField(required=False, coerce=int)

    def __init__(self, data: QueryDict | None = None, **options: Unpack[FormOptions]) -> None:
        super().__init__(data, **options)
        numbers = self.data.getlist("run") if isinstance(self.data, QueryDict) else []
        field = self.fields["run"]
        assert isinstance(field, forms.TypedMultipleChoiceField)
        field.choices = [(n, n) for n in numbers if row_number(n) is not None]


class AcrossQuery(QueryForm):
    """The board across sets: a coefficient, and groups of sets as columns."""

    coefficient = choice(*COEFFICIENTS, default="pearson")
    by = choice("", *GROUPINGS, default="")


class SetQuery(QueryForm):
    constituent = text()
