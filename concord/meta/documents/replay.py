"""How few ratings of a finished set would have been enough."""

from typing import Any, TypedDict

from concord.meta.documents.comparison import RunName


class ReplayAnalysis(TypedDict):
    """The analysis "replay" of a stored set. rows: `concord.estimation.ReplayRow` as JSON."""

    metric: RunName
    n: int
    passages: int
    systems: list[str]
    rows: list[dict[str, Any]]
