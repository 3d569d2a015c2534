"""The learning curve of a ranking of metrics."""

from typing import TypedDict

from concord.documents.comparison import RunName


class LearningRow(TypedDict):
    """A point of the learning curve.

    passages: number of passages, drawn without replacement. candidates: their mean number of
    judged candidates. agreement: mean Kendall's tau-b, in [-1, 1], of the rankings of metrics on
    two disjoint samples of that many passages; low, high contain 95% of the draws. same_best: the
    share of draws in which both rankings have the same best metric. None where no draw is defined.
    """

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
