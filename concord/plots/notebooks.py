"""Results as a plot and a table in a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Callable, Mapping
from html import escape
from typing import TYPE_CHECKING, TypeVar, cast

from concord.plots.forest import IntervalPlot

if TYPE_CHECKING:
    import pandas as pd

D = TypeVar("D", bound=Mapping[str, object])


class PlottedResult(ABC):
    """A result whose main figures make a forest plot; notebooks show it above a table."""

    @abstractmethod
    def forest(self) -> IntervalPlot:
        """The main figures with their intervals."""

    def shown_frame(self) -> pd.DataFrame:
        """The table below the plot: the plot's rows, unless a result has more columns."""
        import pandas as pd

        forest = self.forest()
        rows = [(name, value, *(ends or (None, None))) for name, value, ends in forest.rows]
        return pd.DataFrame(rows, columns=["", forest.figure, "low", "high"])

    def _repr_html_(self) -> str:
        forest = self.forest()
        # As an image, the plot's style does not apply to the notebook.
        picture = b64encode(forest.svg("").encode()).decode()
        shown = self.shown_frame().style.format(precision=forest.digits, na_rep="", escape="html")
        table: str = shown.hide(axis="index").to_html()
        source = f"data:image/svg+xml;base64,{picture}"
        return f'<img src="{source}" alt="{escape(forest.figure)}">{table}'


class _PlottedDocument(dict[str, object], PlottedResult):
    """A document that is a JSON object, with its plot."""

    def __init__(self, document: Mapping[str, object], forest: IntervalPlot) -> None:
        super().__init__(document)
        self._forest = forest

    def forest(self) -> IntervalPlot:
        return self._forest


def plotted(document: D, forest: Callable[[D], IntervalPlot]) -> D:
    """The document, which is still a dict, with a plot for notebooks."""
    return cast(D, _PlottedDocument(document, forest(document)))


def forest_of(document: Mapping[str, object]) -> IntervalPlot:
    """The plot of a document made by `plotted`. Raises TypeError for another one."""
    if not isinstance(document, _PlottedDocument):
        raise TypeError("the document has no plot")
    return document.forest()
