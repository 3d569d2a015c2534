"""How a result looks: tables and sentences, which commands, reports, notebooks and pages show.

A `ResultTable` says what its columns are and has the objects of its rows. `terminal`, `html` and
`cells` (CSV) show it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from itertools import dropwhile, takewhile
from typing import Any, Literal

from concord.sentences import decimal, interval_text

Kind = Literal["text", "count", "number", "share", "figure"]


@dataclass(frozen=True)
class ResultColumn:
    """What a column shows of a row: the attribute, key or position at a dotted path, or what a
    function returns. A text is shown as it is, whatever the kind; None is an empty cell.

    kind: "count" is a whole number or one rounded to it; "number" has `digits` decimals; "share" is
    a percentage; "figure" is an Estimate, its JSON, or (value, interval), and has two cells.
    sign: "+" writes that of positive numbers. interval: the heading of a figure's interval; ""
    shows the value alone.
    """

    heading: str
    value: str | Callable[[Any], Any]
    kind: Kind = "text"
    digits: int = 3
    sign: str = ""
    interval: str = "95% interval"

    @property
    def headings(self) -> tuple[str, ...]:
        """The headings of its cells."""
        has_interval = self.kind == "figure" and self.interval
        return (self.heading, self.interval) if has_interval else (self.heading,)

    def value_of(self, row: Any) -> Any:
        """The value of a row; None where there is none."""
        if callable(self.value):
            return self.value(row)
        return reduce(_part, self.value.split("."), row)

    def texts(self, row: Any) -> tuple[str, ...]:
        """The cells of a row."""
        value = self.value_of(row)
        if self.kind != "figure":
            return (self._text(value),)
        if value is None:
            return ("",) * len(self.headings)
        number, ends = figure_of(value)
        shown = decimal(number, self.digits, self.sign)
        return (shown, interval_text(ends, self.digits, self.sign))[: len(self.headings)]

    def _text(self, value: Any) -> str:
        if value is None or isinstance(value, str):
            return value or ""
        if isinstance(value, bool):
            return "yes" if value else "no"
        match self.kind:
            case "count":
                return f"{value:,.0f}"
            case "share":
                return f"{value:.{self.digits}%}"
            case "number":
                return decimal(value, self.digits, self.sign)
        return str(value)


@dataclass(frozen=True)
class ShownColumn:
    """One cell of each row. at: 1 for the intervals of figures, else 0."""

    column: ResultColumn
    at: int
    texts: list[str]

    @property
    def heading(self) -> str:
        return self.column.headings[self.at]

    @property
    def is_text(self) -> bool:
        """Whether it is aligned to the left."""
        return self.column.kind == "text"


@dataclass(frozen=True)
class ResultTable:
    """A table. rows: objects that the columns read. Columns that are blank are not shown.

    plot: the name of the first figure in a plot, by default its heading. from_zero: whether the
    plot's scale has 0.
    """

    title: str
    columns: Sequence[ResultColumn]
    rows: Sequence[Any]
    plot: str = ""
    from_zero: bool = True

    def shown(self) -> list[ShownColumn]:
        """The columns with their cells, but for those that are blank in every row."""
        shown = []
        for column in self.columns:
            rows = [column.texts(row) for row in self.rows]
            for at, _ in enumerate(column.headings):
                texts = [cells[at] for cells in rows]
                if any(texts) or not texts:
                    shown.append(ShownColumn(column, at, texts))
        return shown


def figure_rows(table: ResultTable) -> tuple[ResultColumn, list[tuple[str, Any, Any]]]:
    """The first column of figures, and of each row its name, value and interval. The name is what
    the first columns of texts say."""
    column = next(one for one in table.columns if one.kind == "figure")
    texts = dropwhile(lambda one: one.kind != "text", table.columns)
    names = list(takewhile(lambda one: one.kind == "text", texts))
    rows = []
    for row in table.rows:
        name = ": ".join(filter(None, (one.texts(row)[0] for one in names)))
        value = column.value_of(row)
        rows.append((name, *((None, None) if value is None else figure_of(value))))
    return column, rows


def figure_of(value: Any) -> tuple[float | None, Sequence[float] | None]:
    """The value of a figure and the ends of its interval."""
    if isinstance(value, tuple):
        return value
    if isinstance(value, Mapping):
        return value["value"], value.get("ci")
    return value.value, value.ci


def _part(value: Any, name: str) -> Any:
    if isinstance(value, Mapping):
        return value.get(name)
    if isinstance(value, list | tuple):
        return value[int(name)]
    return None if value is None else getattr(value, name)


def column(heading: str, value: str | Callable[[Any], Any] = "", **options: Any) -> ResultColumn:
    """A column; its value is the one that has the heading's name, unless given."""
    return ResultColumn(heading, value or heading, **options)


text = column
count = partial(column, kind="count")
number = partial(column, kind="number")
share = partial(column, kind="share", digits=1)
figure = partial(column, kind="figure")
point = partial(column, kind="figure", interval="")
