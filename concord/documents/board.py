"""Leaderboards: one row per metric and group."""

from dataclasses import dataclass
from typing import Annotated, Literal, NotRequired, TypedDict, cast

from concord.documents.base import Document
from concord.documents.comparison import ComparisonDraws, Correction, PermutationUnit
from concord.documents.figures import FigureRow
from concord.documents.statistics import StatisticsRow

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


class RankRow(TypedDict):
    """A metric's rank, 1 + the number of metrics that are significantly better; whether it is not
    shown to differ from the `top` metric; its group by WMT's rule; and `ci`, the interval of the
    coefficient that ranks, or why there is none. relative: its share of human agreement, on the
    `relative_n` candidates that have several ratings."""

    rank: int | None
    group: int | None
    top: bool | None
    ci: list[float] | None
    no_interval: NotRequired[str]
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
    standing: NotRequired[Annotated[RankRow | None, "Rank and share of human agreement."]]
    systems: NotRequired[Annotated[BoardSystemsRow | None, "Agreement over systems."]]
    correctness: NotRequired[BoardCorrectnessRow | None]


class BoardRanks(TypedDict):
    """The analysis that a board's ranks come from."""

    coefficient: Ranking
    units: list[list[str | int]]
    draws: ComparisonDraws
    adjusted_by: Correction
    unit: PermutationUnit
    alpha: float


@dataclass(frozen=True, kw_only=True)
class BoardDocument(Document):
    """A leaderboard; rows by group, then by Pearson's r, best first.

    Intervals and p-values of coefficients are by the jackknife over passages; those of pairs are
    clustered by passage. `version` and `content_hash` are those of stored sets.
    """

    judgment_set: str
    version: int | None
    content_hash: str | None
    illustrative: bool
    criterion: Annotated[str | None, "What people judged, of several; null: the score."] = None
    n: int
    by: str | None
    weighted: Annotated[bool, "Whether correlations weigh by unequal probabilities of the draws."]
    unrated_draws: Annotated[
        int, "Drawn candidates without a score; their waves and later ones are left out."
    ]
    rows: list[BoardRow]
    standings: Annotated[
        BoardRanks | None, "The analysis that ranks come from; null while there are none."
    ] = None


def board_row(metric: MetricRow, statistics: StatisticsRow) -> BoardRow:
    """The row of a metric's statistics."""
    # A type checker does not merge two TypedDicts into one that has further optional keys.
    return cast(BoardRow, {**metric, **statistics})
