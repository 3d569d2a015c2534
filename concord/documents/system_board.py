"""The board of systems."""

from typing import TypedDict

from concord.documents.board import RunRow
from concord.documents.figures import FigureRow


class SystemMeanCell(TypedDict):
    """A metric's mean over a system's candidates on the board of systems."""

    mean: FigureRow
    corpus: float | None


class SystemBoardRow(TypedDict):
    """A system with its mean by people, and by each metric run."""

    system: str
    n: int
    judged: int
    human: FigureRow
    metrics: dict[int, SystemMeanCell]


class SystemBoard(TypedDict):
    """Each system's mean human score and its mean by every metric, best by people first."""

    metrics: list[RunRow]
    systems: list[SystemBoardRow]
