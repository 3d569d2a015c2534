"""The learning curve of a ranking of metrics."""

from typing import TypedDict

from concord.documents.comparison import RunName


class LearningRow(TypedDict):
    """The agreement of two rankings by so many passages each."""

    passages: int
    candidates: float
    agreement: float | None
    low: float | None
    high: float | None
    same_best: float | None


class LearningAnalysis(TypedDict):
    """The analysis "learning" of a stored set."""

    n: int
    metrics: list[RunName]
    points: list[LearningRow]
