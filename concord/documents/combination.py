"""A combination of a stored set's metrics."""

from typing import TypedDict

from concord.documents.comparison import RunName
from concord.documents.figures import FigureRow


class CombinedMetricRow(RunName):
    """weight: of the standardised scores, the mean over folds; weight_range: lowest and highest.
    chosen: in how many folds it was the best single metric."""

    weight: float
    weight_range: list[float]
    chosen: int


class CombinationAnalysis(TypedDict):
    """The analysis "combination" of a stored set. left_out: metrics without a score of every
    candidate, or without variation."""

    n: int
    passages: int
    folds: int
    combination: FigureRow
    single: FigureRow
    difference: FigureRow
    metrics: list[CombinedMetricRow]
    left_out: list[RunName]
