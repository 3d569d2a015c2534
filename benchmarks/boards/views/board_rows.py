"""Rows of a board's page: filtered, sorted, ranked and plotted. No database access."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.boards.forms import BoardOptions, Plotted
from benchmarks.boards.services.documentation import ModelCard, docs_page, model_card
from concord.documents.board import BoardDocument, BoardRanks, BoardRow
from concord.documents.figures import FigureRow
from concord.findings import metric_name
from concord.plots import IntervalMark, IntervalScale

MAX_ROWS = 400


@dataclass(frozen=True)
class RankedRow:
    """One metric on the page.

    rank: 1 + the number of metrics that are significantly better by the plotted figure; None where
    they were not compared, and where the figure is undefined.
    """

    row: BoardRow
    rank: int | None
    figure: FigureRow
    mark: IntervalMark | None

    @property
    def docs_page(self) -> str | None:
        """The metric's page in the documentation."""
        return docs_page(self.row["metric"], is_submitted=bool(self.row.get("submission")))

    @property
    def model_card(self) -> ModelCard | None:
        """The card of the metric's checkpoint."""
        return model_card(self.row["metric"], is_submitted=bool(self.row.get("submission")))


@dataclass(frozen=True)
class BoardGroup:
    name: str | None
    rows: list[RankedRow]


@dataclass(frozen=True)
class BoardPage:
    """plotted: the figure that is ranked and drawn. hidden_groups: the number not shown.

    top: the metrics that are not shown to differ from the first one.
    """

    plotted: Plotted
    scale: IntervalScale
    groups: list[BoardGroup]
    unscored: list[BoardRow]
    group_names: list[str]
    hidden_groups: int
    top: list[str]
    standings: BoardRanks | None = None

    @property
    def shown(self) -> int:
        return sum(len(group.rows) for group in self.groups) + len(self.unscored)

    @property
    def same_n(self) -> int | None:
        """On how many candidates all rows are computed; None where that differs."""
        numbers = {line.row["n"] for group in self.groups for line in group.rows}
        return numbers.pop() if len(numbers) == 1 else None

    @property
    def first(self) -> RankedRow | None:
        """The first row of a board of the whole set, where the best come first."""
        first = self.groups[0].rows[0] if self.groups and self.groups[0].rows else None
        return first if first is not None and first.row["group"] is None else None

    @property
    def no_intervals(self) -> list[str]:
        """Why drawn figures have no interval."""
        rows = [row for group in self.groups for row in group.rows]
        reasons = dict.fromkeys(row.figure.get("no_interval", "") for row in rows)
        return [reason for reason in reasons if reason]


def arrange(board: BoardDocument, options: BoardOptions) -> BoardPage:
    """The contents of a board's page."""
    sort, part = options["sort"], options["metric"].casefold()
    plotted: Plotted = "pearson" if sort == "metric" or sort == "speed" else sort
    rows = [row for row in board.rows if part in row["metric"].casefold()]
    scored = [row for row in rows if row["status"] == "complete"]
    names = list(dict.fromkeys(row["group"] for row in scored if row["group"] is not None))
    shown = [row for row in scored if options["group"] in ("", row["group"] or "")]
    by_group: dict[str | None, list[BoardRow]] = {}
    for row in shown:
        by_group.setdefault(row["group"], []).append(row)
    first_groups = _first_groups(by_group)
    scale = _scale([row for group in first_groups.values() for row in group], plotted)
    groups = [
        BoardGroup(name, _ranked(_sorted(group, options), plotted, scale))
        for name, group in first_groups.items()
    ]
    unscored = [row for row in rows if row["status"] != "complete"]
    ranks = board.standings
    if ranks is not None and ranks["coefficient"] != plotted:
        ranks = None
    hidden_groups = len(by_group) - len(first_groups)
    top = [] if ranks is None else _top(board.rows, plotted)
    return BoardPage(plotted, scale, groups, unscored, names, hidden_groups, top, ranks)


def _top(rows: list[BoardRow], plotted: Plotted) -> list[str]:
    """The names of the metrics that are not shown to differ from the first, which comes first."""
    top = [row for row in rows if (rank_row := row.get("standing")) and rank_row["top"]]
    top.sort(key=lambda row: -(figure_of(row, plotted)["value"] or 0.0))
    return [metric_name(row) for row in top]


def figure_of(row: BoardRow, plotted: Plotted) -> FigureRow:
    """A row's coefficient, or its accuracy on minimal pairs in the same form."""
    if plotted != "pairs":
        return row[plotted]
    pairs = row["pairs"]
    return {"value": pairs["accuracy"], "ci": pairs.get("ci"), "reason": pairs.get("reason", "")}


def _first_groups(
    groups: dict[str | None, list[BoardRow]],
) -> dict[str | None, list[BoardRow]]:
    """The first groups, with at most MAX_ROWS rows together; one group at least."""
    first_groups: dict[str | None, list[BoardRow]] = {}
    total = 0
    for name, rows in groups.items():
        total += len(rows)
        if first_groups and total > MAX_ROWS:
            break
        first_groups[name] = rows
    return first_groups


def _sorted(rows: list[BoardRow], options: BoardOptions) -> list[BoardRow]:
    """Best first, or worst first; undefined values are last in both cases."""
    sort, worst = options["sort"], options["direction"] == "worst"
    if sort == "metric":
        return sorted(rows, key=lambda row: (row["metric"], row["multi_ref"]), reverse=worst)

    def value(row: BoardRow) -> float | None:
        return row["items_per_second"] if sort == "speed" else figure_of(row, sort)["value"]

    def sort_key(row: BoardRow) -> tuple[bool, float, str]:
        number = value(row)
        return (number is None, (number or 0.0) * (1 if worst else -1), row["metric"])

    return sorted(rows, key=sort_key)


def _ranked(rows: list[BoardRow], plotted: Plotted, scale: IntervalScale) -> list[RankedRow]:
    ranked: list[RankedRow] = []
    for row in rows:
        figure = figure_of(row, plotted)
        value, rank_row = figure["value"], row.get("standing")
        if value is None:
            ranked.append(RankedRow(row, None, figure, None))
            continue
        rank = rank_row["rank"] if rank_row and plotted != "pairs" else None
        ranked.append(RankedRow(row, rank, figure, scale.mark(value, figure.get("ci"))))
    return ranked


def _scale(rows: list[BoardRow], plotted: Plotted) -> IntervalScale:
    """The scale of all rows: 0 to 1 for accuracies, the range of the intervals for correlations."""
    if plotted == "pairs":
        return IntervalScale.from_range(0.0, 1.0)
    figures = [figure_of(row, plotted) for row in rows]
    return IntervalScale.from_intervals(
        figure.get("ci") or [value] for figure in figures if (value := figure["value"]) is not None
    )
