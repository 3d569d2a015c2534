"""Metrics in the place of raters, of a stored set."""

from typing import NotRequired, TypedDict

from concord.documents.comparison import RunName
from concord.documents.figures import FigureRow


class TestRow(TypedDict):
    """The alternative annotator test of one judge. rejected: raters whom it may replace. Without a
    tested rater, `passed` is None and `reason` says how much data is missing."""

    omega: float | None
    passed: bool | None
    rho: float | None
    rho_ci: list[float] | None
    tested: int
    rejected: int
    reason: NotRequired[str]


class JudgeFigures(TestRow):
    """The test, with independent items; by_document: items of one passage are dependent.
    beats_baselines: None where the judge is not tested."""

    by_document: TestRow
    pearson: FigureRow
    spearman: FigureRow
    kappa: FigureRow
    z: FigureRow
    beats_baselines: bool | None


class JudgeRow(RunName, JudgeFigures):
    """A metric as a judge."""


class BaselineRow(JudgeFigures):
    """A judge that does not look at the item, or a sentinel."""

    name: str


class JudgesAnalysis(TypedDict):
    """The analysis "judges" of a stored set. people_kappa: mean over pairs of raters."""

    raters: int
    items: int
    passages: int
    people_kappa: FigureRow
    metrics: list[JudgeRow]
    baselines: list[BaselineRow]


class SentinelJudgesAnalysis(TypedDict):
    """The analysis "sentinel-judges" of a stored set: sentinels in the place of raters. items: the
    rated candidates that they judge."""

    items: int
    passages: int
    sentinels: list[BaselineRow]
