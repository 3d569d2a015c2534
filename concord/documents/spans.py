"""Error spans of a stored set beside its metrics."""

from typing import Annotated, Any, TypedDict

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
    """Error spans: metrics on them, systems and raters."""

    severities: Annotated[list[str], "Of the worst error of an answer; `none` first."]
    answers: Annotated[
        list[int],
        "How many answers have each severity; one with an undecided severity is in none.",
    ]
    metrics: Annotated[
        list[SpanMetricRow], "Correlation with the MQM score, and means by severity."
    ]
    report: Annotated[dict[str, Any], "As `concord spans --format json`."]
