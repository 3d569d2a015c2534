"""Error spans of a stored set beside its metrics."""

from typing import Any, TypedDict

from concord.documents.comparison import RunName
from concord.documents.figures import FigureRow


class SpanMetricRow(RunName):
    """A metric on error spans.

    pearson: of its scores with the MQM scores, higher being better for both; the interval resamples
    passages. means: the mean score of the answers whose worst error has each severity of
    `severities`, None without any.
    """

    pearson: FigureRow
    means: list[float | None]


class SpansAnalysis(TypedDict):
    """The analysis "spans" of a stored set.

    severities: those of an answer's worst error, "none" first. answers: how many answers have each;
    one with an error of undecided severity is in none. report: `concord.spans.SpanReport` as JSON.
    """

    severities: list[str]
    answers: list[int]
    metrics: list[SpanMetricRow]
    report: dict[str, Any]
