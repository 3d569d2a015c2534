"""Sentinels beside the metrics of a stored set."""

from typing import TypedDict

from concord.documents.comparison import RunName
from concord.documents.figures import FigureRow


class SentinelRow(TypedDict):
    """A score that lacks what a judge needs, and its correlation with people."""

    name: str
    figure: FigureRow


class SentinelMetricRow(RunName):
    """A metric's correlation, and its difference from the best sentinel's."""

    figure: FigureRow
    difference: float | None
    difference_ci: list[float] | None
    beats_sentinels: bool | None


class SentinelsAnalysis(TypedDict):
    """The analysis "sentinels" of a stored set. encoder: the signature of the embeddings."""

    n: int
    judged: int
    passages: int
    encoder: str
    sentinels: list[SentinelRow]
    metrics: list[SentinelMetricRow]
