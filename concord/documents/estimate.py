"""Systems' mean ratings from few ratings and a metric."""

from typing import Any, TypedDict

from concord.documents.comparison import RunName


class EstimateAnalysis(TypedDict):
    """The analysis "estimate" of a stored set. report: `concord.estimation.EstimateReport` as
    JSON."""

    metric: RunName
    rated: int
    candidates: int
    report: dict[str, Any]
