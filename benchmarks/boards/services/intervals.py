"""The interval of a coefficient on pages: by bootstrap if it was computed, else by Fisher's z."""

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


def with_interval(figure: FigureRow, rank_row: RankRow | None) -> FigureWithMethod:
    """The figure with the bootstrap interval of the analysis that ranked it, if there is one.

    figure: a coefficient with the interval by Fisher's z. rank_row: the metric's rank by the same
    coefficient on the same candidates.
    """
    if figure["value"] is None:
        return FigureWithMethod(figure, "")
    if rank_row and rank_row["ci"]:
        return FigureWithMethod({**figure, "ci": rank_row["ci"]}, BOOTSTRAP)
    return FigureWithMethod(figure, FISHER if figure.get("ci") else "")
