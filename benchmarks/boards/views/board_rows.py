"""From a board to the rows of its page: filtered, sorted, ranked, each with its mark. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.boards.forms import BoardOptions, Plotted
from concord.meta.documents.board import Board, BoardRanks, BoardRow
from concord.meta.documents.figures import FigureRow
from concord.plots import IntervalMark, IntervalScale

MOST_ROWS = 400


@dataclass(frozen=True)
class RankedRow:
    """One metric on the page.

    `rank` is its rank group where the board has standings of what it is sorted by, so that metrics
    share one that cannot be told apart; else its place, which equals share. None where the figure
    is undefined.
    """

    row: BoardRow
    rank: int | None
    figure: FigureRow
    mark: IntervalMark | None


@dataclass(frozen=True)
class BoardGroup:
    name: str | None
    rows: list[RankedRow]


@dataclass(frozen=True)
class BoardPage:
    """`plotted` names the figure that ranks and is drawn; `left_out` counts groups not shown."""

    plotted: Plotted
    scale: IntervalScale
    groups: list[BoardGroup]
    unscored: list[BoardRow]
    group_names: list[str]
    left_out: int
    standings: BoardRanks | None = None

    @property
    def shown(self) -> int:
        return sum(len(group.rows) for group in self.groups) + len(self.unscored)


def arrange(board: Board, options: BoardOptions) -> BoardPage:
    """Lay out a board as the options say."""
    sort, part = options["sort"], options["metric"].casefold()
    plotted: Plotted = "pearson" if sort == "metric" or sort == "speed" else sort
    rows = [row for row in board["rows"] if part in row["metric"].casefold()]
    scored = [row for row in rows if row["status"] == "complete"]
    names = list(dict.fromkeys(row["group"] for row in scored if row["group"] is not None))
    shown = [row for row in scored if options["group"] in ("", row["group"] or "")]
    by_group: dict[str | None, list[BoardRow]] = {}
    for row in shown:
        by_group.setdefault(row["group"], []).append(row)
    kept = _as_many_as_fit(by_group)
    scale = _scale([row for group in kept.values() for row in group], plotted)
    groups = [
        BoardGroup(name, _ranked(_sorted(group, options), plotted, scale))
        for name, group in kept.items()
    ]
    unscored = [row for row in rows if row["status"] != "complete"]
    told = board.get("standings")
    if told is not None and told["coefficient"] != plotted:
        told = None
    return BoardPage(plotted, scale, groups, unscored, names, len(by_group) - len(kept), told)


def figure_of(row: BoardRow, plotted: Plotted) -> FigureRow:
    """A row's coefficient, or its accuracy on minimal pairs in the same form."""
    if plotted != "pairs":
        figure = row[plotted]
        standing = row.get("standing")
        if standing and standing["ci"] and figure["value"] is not None:
            return {**figure, "ci": standing["ci"]}
        return figure
    pairs = row["pairs"]
    return {
        "value": pairs["accuracy"],
        "ci": pairs.get("ci"),
        "reason": pairs.get("reason", ""),
    }


def _as_many_as_fit(
    groups: dict[str | None, list[BoardRow]],
) -> dict[str | None, list[BoardRow]]:
    """The first groups that together have no more than MOST_ROWS rows; one at least."""
    kept: dict[str | None, list[BoardRow]] = {}
    total = 0
    for name, rows in groups.items():
        total += len(rows)
        if kept and total > MOST_ROWS:
            break
        kept[name] = rows
    return kept


def _sorted(rows: list[BoardRow], options: BoardOptions) -> list[BoardRow]:
    """Best first, or worst first; what is undefined stands last either way."""
    sort, worst = options["sort"], options["direction"] == "worst"
    if sort == "metric":
        return sorted(rows, key=lambda row: (row["metric"], row["multi_ref"]), reverse=worst)

    def value(row: BoardRow) -> float | None:
        return row["items_per_second"] if sort == "speed" else figure_of(row, sort)["value"]

    def standing(row: BoardRow) -> tuple[bool, float, str]:
        found = value(row)
        return (found is None, (found or 0.0) * (1 if worst else -1), row["metric"])

    return sorted(rows, key=standing)


def _ranked(rows: list[BoardRow], plotted: Plotted, scale: IntervalScale) -> list[RankedRow]:
    values = [figure_of(row, plotted)["value"] for row in rows]
    known = sorted((value for value in values if value is not None), reverse=True)
    found: list[RankedRow] = []
    for row, value in zip(rows, values, strict=True):
        figure = figure_of(row, plotted)
        if value is None:
            found.append(RankedRow(row, None, figure, None))
            continue
        mark = scale.mark(value, figure.get("ci"))
        standing = row.get("standing")
        shared = standing["group"] if standing and plotted != "pairs" else None
        found.append(RankedRow(row, shared or known.index(value) + 1, figure, mark))
    return found


def _scale(rows: list[BoardRow], plotted: Plotted) -> IntervalScale:
    """One scale for all rows: accuracies from 0 to 1, correlations as far as they reach."""
    if plotted == "pairs":
        return IntervalScale.from_range(0.0, 1.0)
    figures = [figure_of(row, plotted) for row in rows]
    return IntervalScale.from_intervals(
        figure.get("ci") or [value] for figure in figures if (value := figure["value"]) is not None
    )
