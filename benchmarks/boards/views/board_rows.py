"""From a board to the rows of its page: filtered, sorted, ranked, each with its mark. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from concord.plots import IntervalMark, IntervalScale

MOST_ROWS = 400


@dataclass(frozen=True)
class BoardRow:
    """One metric on the page.

    `rank` is its rank group where the board has standings of what it is sorted by, so that metrics
    share one that cannot be told apart; else its place, which equals share. None where the figure
    is undefined.
    """

    row: dict[str, Any]
    rank: int | None
    figure: dict[str, Any]
    mark: IntervalMark | None


@dataclass(frozen=True)
class BoardGroup:
    name: str | None
    rows: list[BoardRow]


@dataclass(frozen=True)
class BoardPage:
    """`plotted` names the figure that ranks and is drawn; `left_out` counts groups not shown."""

    plotted: str
    scale: IntervalScale
    groups: list[BoardGroup]
    unscored: list[dict[str, Any]]
    group_names: list[str]
    left_out: int
    standings: dict[str, Any] | None = None

    @property
    def shown(self) -> int:
        return sum(len(group.rows) for group in self.groups) + len(self.unscored)


def arrange(board: dict[str, Any], query: dict[str, Any]) -> BoardPage:
    """Lay out a board (`Board.to_json()`) as the query (`BoardQuery`) asks."""
    plotted = query["sort"] if query["sort"] not in ("metric", "speed") else "pearson"
    rows = [row for row in board["rows"] if query["metric"].casefold() in row["metric"].casefold()]
    scored = [row for row in rows if row["status"] == "complete"]
    names = list(dict.fromkeys(row["group"] for row in scored if row["group"] is not None))
    shown = [row for row in scored if query["group"] in ("", row["group"] or "")]
    by_group: dict[str | None, list[dict[str, Any]]] = {}
    for row in shown:
        by_group.setdefault(row["group"], []).append(row)
    kept = _as_many_as_fit(by_group)
    scale = _scale([row for group in kept.values() for row in group], plotted)
    groups = [
        BoardGroup(name, _ranked(_sorted(group, query), plotted, scale))
        for name, group in kept.items()
    ]
    unscored = [row for row in rows if row["status"] != "complete"]
    told = board.get("standings")
    if told is not None and told["coefficient"] != plotted:
        told = None
    return BoardPage(plotted, scale, groups, unscored, names, len(by_group) - len(kept), told)


def figure_of(row: dict[str, Any], plotted: str) -> dict[str, Any]:
    """A row's coefficient, or its accuracy on minimal pairs in the same form."""
    if plotted != "pairs":
        figure: dict[str, Any] = row[plotted]
        standing = row.get("standing")
        if standing and standing["ci"] and figure["value"] is not None:
            return figure | {"ci": standing["ci"]}
        return figure
    pairs = row["pairs"]
    return {"value": pairs.get("accuracy"), "ci": pairs.get("ci"), "reason": pairs.get("reason")}


def _as_many_as_fit(
    groups: dict[str | None, list[dict[str, Any]]],
) -> dict[str | None, list[dict[str, Any]]]:
    """The first groups that together have no more than MOST_ROWS rows; one at least."""
    kept: dict[str | None, list[dict[str, Any]]] = {}
    total = 0
    for name, rows in groups.items():
        total += len(rows)
        if kept and total > MOST_ROWS:
            break
        kept[name] = rows
    return kept


def _sorted(rows: list[dict[str, Any]], query: dict[str, Any]) -> list[dict[str, Any]]:
    """Best first, or worst first; what is undefined stands last either way."""
    sort, worst = query["sort"], query["direction"] == "worst"
    if sort == "metric":
        return sorted(rows, key=lambda row: (row["metric"], row["multi_ref"]), reverse=worst)

    def value(row: dict[str, Any]) -> float | None:
        if sort == "speed":
            speed: float | None = row["items_per_second"]
            return speed
        found: float | None = figure_of(row, sort)["value"]
        return found

    def standing(row: dict[str, Any]) -> tuple[bool, float, str]:
        found = value(row)
        return (found is None, (found or 0.0) * (1 if worst else -1), row["metric"])

    return sorted(rows, key=standing)


def _ranked(rows: list[dict[str, Any]], plotted: str, scale: IntervalScale) -> list[BoardRow]:
    values = [figure_of(row, plotted)["value"] for row in rows]
    known = sorted((value for value in values if value is not None), reverse=True)
    found = []
    for row, value in zip(rows, values, strict=True):
        figure = figure_of(row, plotted)
        if value is None:
            found.append(BoardRow(row, None, figure, None))
            continue
        interval = figure.get("ci")
        mark = scale.mark(value, (interval[0], interval[1]) if interval else None)
        standing = row.get("standing")
        shared = standing["group"] if standing and plotted != "pairs" else None
        found.append(BoardRow(row, shared or known.index(value) + 1, figure, mark))
    return found


def _scale(rows: list[dict[str, Any]], plotted: str) -> IntervalScale:
    """One scale for all rows: accuracies from 0 to 1, correlations as far as they reach."""
    if plotted == "pairs":
        return IntervalScale.over(0.0, 1.0)
    figures = [figure_of(row, plotted) for row in rows]
    defined = [figure for figure in figures if figure["value"] is not None]
    return IntervalScale.holding(tuple(f.get("ci") or (f["value"], f["value"])) for f in defined)
