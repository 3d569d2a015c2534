"""How few ratings of a finished set would have been enough."""

from typing import TypedDict

from concord.meta.documents.comparison import RunName


class ReplayedSize(TypedDict):
    """`concord.estimation.ReplayRow` as JSON."""

    passages: int
    rated: float
    coverage: float | None
    plain_coverage: float | None
    width: float | None
    plain_width: float | None
    saving: float | None
    used: float
    without_interval: float
    correct: float | None
    plain_correct: float | None
    wrong: float | None


class ReplayAnalysis(TypedDict):
    """The analysis "replay" of a stored set."""

    metric: RunName
    n: int
    passages: int
    systems: list[str]
    rows: list[ReplayedSize]
