"""What commands, reports and notebooks show: a result with its tables, sentences and plot."""

from __future__ import annotations

from abc import ABC, abstractmethod
from base64 import b64encode
from collections.abc import Iterable
from html import escape

from concord.plots.forest import IntervalPlot
from concord.tables import ResultTable, figure_rows


class Result(ABC):
    """A result that says how it looks. The title of a table says what is in it; the name of the
    data stands before it where it is shown."""

    @abstractmethod
    def tables(self) -> Iterable[ResultTable]:
        """The tables, the main one first."""

    def sentences(self) -> Iterable[str]:
        """What the tables do not say: notes, reasons of undefined figures, a verdict."""
        return ()

    def _repr_html_(self) -> str:
        from concord.tables.html import html_table, paragraph

        tables = "".join(html_table(table) for table in self.tables())
        return tables + "".join(map(paragraph, self.sentences()))


class PlottedResult(Result):
    """A result whose main figures make a forest plot; notebooks show it above the tables."""

    def forest(self) -> IntervalPlot:
        """The first figures of the first table with their intervals."""
        table = next(iter(self.tables()))
        column, rows = figure_rows(table)
        return IntervalPlot(table.plot or column.heading, rows, zero=table.from_zero)

    def _repr_html_(self) -> str:
        forest = self.forest()
        # As an image, the plot's style does not apply to the notebook.
        picture = b64encode(forest.svg("").encode()).decode()
        source = f"data:image/svg+xml;base64,{picture}"
        return f'<img src="{source}" alt="{escape(forest.figure)}">{super()._repr_html_()}'
