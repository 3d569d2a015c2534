"""Leaderboards: one row per metric and group."""

from typing import Literal, NotRequired, TypedDict, cast

from concord.intervals import ResamplesRow
from concord.meta.documents.comparison import ComparisonDraws, Correction
from concord.meta.documents.figures import FigureRow
from concord.meta.documents.statistics import StatisticsRow

Ranking = Literal["pearson", "spearman", "kendall"]


class ScoringRow(TypedDict):
    """How a metric was computed: signature, direction, speed. variant: how its model differs from
    the published one of its name (`concord.metrics.signature.model_variant`)."""

    multi_ref: str
    signature: str
    variant: str
    higher_is_better: bool
    items_per_second: float | None
    device: str


class MetricRow(ScoringRow):
    """A scored metric with its name."""

    metric: str


class SubmissionRow(TypedDict):
    """A metric that somebody submitted."""

    pk: int
    kind: str
    authors: str
    link: str
    is_public: bool


class CheckpointRow(TypedDict):
    """The checkpoint of a learned metric."""

    name: str
    description: str


class RunRow(MetricRow):
    """A metric run of a stored set; `run` is its primary key."""

    run: int
    status: str
    submission: SubmissionRow | None
    checkpoint: CheckpointRow | None


class RankRow(ResamplesRow):
    """A metric's rank and rank group, and `ci`, the interval by the bootstrap over passages; where
    it is None, `no_interval` says why.
    relative: its share of human agreement, both on the
    `relative_n` candidates that have several ratings."""

    rank: int | None
    group: int | None
    ci: list[float] | None
    relative: FigureRow | None
    relative_n: int | None
    corrected: FigureRow | None


class BoardSystemsRow(TypedDict):
    """A metric's agreement with people over systems."""

    pearson: FigureRow
    kendall_b: FigureRow
    pairwise_accuracy: FigureRow
    soft_pairwise: FigureRow


class BoardCorrectnessRow(TypedDict):
    """A metric as a judge of correctness."""

    f1: FigureRow
    balanced_accuracy: FigureRow


class BoardRow(MetricRow, StatisticsRow):
    """A metric on the whole set or on one group. The optional keys are those of stored sets."""

    run: NotRequired[int]
    status: NotRequired[str]
    submission: NotRequired[SubmissionRow | None]
    checkpoint: NotRequired[CheckpointRow | None]
    standing: NotRequired[RankRow | None]
    systems: NotRequired[BoardSystemsRow | None]
    correctness: NotRequired[BoardCorrectnessRow | None]


class BoardRanks(TypedDict):
    """The analysis that a board's ranks come from."""

    coefficient: Ranking
    units: list[list[str | int]]
    draws: ComparisonDraws
    adjusted_by: Correction
    alpha: float


class Board(TypedDict):
    """A leaderboard. Intervals of coefficients are by Fisher's z (on a weighted board by the
    bootstrap), those of pairs by Wilson. Those of "standing" are by the bootstrap over passages;
    pages and commands show these where there are any.

    `version`, `content_hash` and `standings` are for stored sets.

    criterion: what people judged, of several; None is the score. weighted: whether correlations
    weigh by the unequal probabilities with which candidates were drawn. unrated_draws: how many of
    the drawn candidates have no score; their waves and later ones are left out."""

    judgment_set: str
    version: int | None
    content_hash: str | None
    illustrative: bool
    criterion: NotRequired[str | None]
    n: int
    by: str | None
    weighted: bool
    unrated_draws: int
    rows: list[BoardRow]
    standings: NotRequired[BoardRanks | None]


def board_row(metric: MetricRow, statistics: StatisticsRow) -> BoardRow:
    """The row of a metric's statistics."""
    # A type checker does not merge two TypedDicts into one that has further optional keys.
    return cast(BoardRow, {**metric, **statistics})
