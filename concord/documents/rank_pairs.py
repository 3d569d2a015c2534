"""Types of the JSON documents about pairs that people rate clearly differently."""

from typing import TypedDict

from concord.documents.comparison import RunName
from concord.documents.figures import FigureRow


class RankPairsRow(RunName):
    """A complete run: its share of pairs in people's order, and the number won, tied and lost."""

    figure: FigureRow
    won: int
    tied: int
    lost: int


class RankPairsTable(TypedDict):
    """Each metric's share of pairs that it orders as people do."""

    threshold: float
    n: int
    rows: list[RankPairsRow]
