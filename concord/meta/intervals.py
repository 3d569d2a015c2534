"""The interval of a board's figure and its method, the same on pages and in commands.

A coefficient has the interval of the bootstrap over passages, because answers to one question are
not independent, and none where there are too few passages. Where no bootstrap was computed, as on a
board by groups, it has that of Fisher's z, which takes candidates as independent and is too narrow
where they are not.
"""

from __future__ import annotations

from typing import NamedTuple

from concord.documents.board import RankRow
from concord.documents.figures import FigureRow

BOOTSTRAP = "bootstrap by passage"
FISHER = "Fisher\u2019s z"
WILSON = "Wilson"


class FigureWithMethod(NamedTuple):
    """A figure, and the method of its interval; "" without an interval."""

    figure: FigureRow
    method: str


def with_interval(
    figure: FigureRow, rank_row: RankRow | None, *, weighted: bool = False
) -> FigureWithMethod:
    """The figure with the bootstrap interval of the analysis that ranked it, if there is one, or
    with the reason why it has none, "no_interval".

    figure: a coefficient with the interval by Fisher's z, or by the bootstrap if it is `weighted`.
    rank_row: the metric's rank by the same coefficient on the same candidates.
    """
    if figure["value"] is None:
        return FigureWithMethod(figure, "")
    if rank_row and rank_row["ci"]:
        return FigureWithMethod({**figure, "ci": rank_row["ci"]}, BOOTSTRAP)
    if rank_row and (reason := rank_row.get("no_interval")):
        return FigureWithMethod({**figure, "ci": None, "no_interval": reason}, "")
    method = BOOTSTRAP if weighted else FISHER
    return FigureWithMethod(figure, method if figure.get("ci") else "")
