"""Leaderboards: one row per metric and group."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal, NotRequired, TypedDict, cast, get_args

from concord.documents.base import Document
from concord.documents.comparison import ComparisonDraws, Correction, PermutationUnit
from concord.documents.figures import FigureRow
from concord.documents.statistics import StatisticsRow, TrainingRow
from concord.sentences import counted
from concord.tables import ResultTable, count, figure, number, point, text
from concord.tables.cells import table_csv
from concord.tables.result import PlottedResult

Ranking = Literal["pearson", "spearman", "kendall"]
COEFFICIENTS: tuple[Ranking, ...] = get_args(Ranking)


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
class BoardDocument(Document, PlottedResult):
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

    def tables(self) -> Iterable[ResultTable]:
        columns = [
            text(self.by or "", "group"),
            text("metric", _metric_name),
            count("n"),
            figure("Pearson", "pearson"),
            point("Spearman", "spearman"),
            point("Kendall", "kendall"),
            number("pairs", "pairs.accuracy"),
            count("items/s", "items_per_second"),
        ]
        mark = " (illustrative: written to show how Concord works)" if self.illustrative else ""
        version = "" if self.version is None else f"@{self.version}"
        title = f"{self.judgment_set}{version}: {counted(self.n, 'candidate')}{mark}"
        yield ResultTable(title, columns, self.rows, plot="Pearson's r with people")

    def to_csv(self) -> str:
        """A row for each metric and group as CSV; undefined cells are empty."""
        of_board = {name: getattr(self, name) for name in ("judgment_set", "version", "by")}
        columns = [*map(text, of_board), *_SPREADSHEET]
        return table_csv(ResultTable("", columns, [{**of_board, **row} for row in self.rows]))

    def sentences(self) -> Iterable[str]:
        if any(row["pearson"].get("ci") for row in self.rows):
            yield "95% intervals: jackknife over passages."
        reasons = dict.fromkeys(row["pearson"].get("no_interval") for row in self.rows)
        yield from (f"No interval: {reason}." for reason in reasons if reason)
        yield from dict.fromkeys(
            f"{row['metric']}: {row[name]['reason']}"
            for row in self.rows
            for name in COEFFICIENTS
            if row[name]["value"] is None
        )
        if self.weighted:
            yield (
                "Correlations weigh by the unequal probabilities with which candidates were drawn."
            )
        judged = max((row["n"] for row in self.rows), default=self.n)
        if self.by is None and judged < self.n:
            yield (
                f"{self.n - judged:,} of {counted(self.n, 'candidate')} without a human score left "
                "out."
            )
        if not self.rows:
            yield "There is no metric."


def _trained_on(row: BoardRow) -> float | None:
    training = row.get("training")
    return training["share"] if training and training["known"] else None


# The columns of a board's CSV file after those of the board itself.
_SPREADSHEET = [
    *map(text, ("group", "metric", "multi_ref", "variant", "n")),
    *(
        text(f"{coefficient}{ending}", f"{coefficient}.{place}")
        for coefficient in COEFFICIENTS
        for ending, place in (("", "value"), ("_p", "p"), ("_low", "ci.0"), ("_high", "ci.1"))
    ),
    text("pairs_n", "pairs.n"),
    text("pairs_accuracy", "pairs.accuracy"),
    text("pairs_low", "pairs.ci.0"),
    text("pairs_high", "pairs.ci.1"),
    text("rank_group", "standing.group"),
    text("rank", "standing.rank"),
    text("of_the_ceiling", "standing.relative.value"),
    text("of_the_ceiling_n", "standing.relative_n"),
    text("systems_kendall", "systems.kendall_b.value"),
    text("systems_pairwise_accuracy", "systems.pairwise_accuracy.value"),
    text("systems_soft_pairwise", "systems.soft_pairwise.value"),
    text("f1", "correctness.f1.value"),
    text("balanced_accuracy", "correctness.balanced_accuracy.value"),
    *map(text, ("items_per_second", "device", "signature")),
    text("training_setting", "training.setting"),
    text("trained_on", _trained_on),
]


def _metric_name(row: BoardRow) -> str:
    """A metric's name with what distinguishes it, and what it was trained on."""
    name = row["metric"] if row["multi_ref"] == "max" else f"{row['metric']} (joint)"
    variant = f" ({row['variant']})" if row["variant"] else ""
    return name + variant + _training(row.get("training"))


def _training(training: TrainingRow | None) -> str:
    if training is None:
        return ""
    if not training["known"]:
        return " [training data unknown]"
    share = training["share"]
    trained = f", trained on {max(share, 0.01):.0%} of these" if share else ""
    return f" [{training['setting']}{trained}]"


def board_row(metric: MetricRow, statistics: StatisticsRow) -> BoardRow:
    """The row of a metric's statistics."""
    # A type checker does not merge two TypedDicts into one that has further optional keys.
    return cast(BoardRow, {**metric, **statistics})
