"""The interval of a board's figure and its method, the same on pages and in commands.

A coefficient has the interval of the bootstrap over passages, because answers to one question are
not independent. Where none was computed, as on a board by groups, it has that of Fisher's z, which
takes candidates as independent and is too narrow where they are not.
"""

from __future__ import annotations

from typing import NamedTuple

from concord.intervals import resample_keys
from concord.meta.documents.board import RankRow
from concord.meta.documents.figures import FigureRow

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
    """The figure with the bootstrap interval of the analysis that ranked it, if it was ranked.

    Where the bootstrap gave no interval, as with few passages, the figure has none either, and
    "no_interval" says why.

    figure: a coefficient with the interval by Fisher's z, or by the bootstrap if it is `weighted`.
    rank_row: the metric's rank by the same coefficient on the same candidates.
    """
    if figure["value"] is None:
        return FigureWithMethod(figure, "")
    if rank_row:
        ranked: FigureRow = {**figure, "ci": rank_row["ci"], **resample_keys(rank_row)}
        return FigureWithMethod(ranked, BOOTSTRAP if rank_row["ci"] else "")
    method = BOOTSTRAP if weighted else FISHER
    return FigureWithMethod(figure, method if figure.get("ci") else "")
