"""Shapes of the JSON documents about metrics as judges of correctness."""

from typing import Literal, NotRequired, TypedDict

from concord.documents.comparison import RunName
from concord.documents.figures import FigureRow

EstimateBy = Literal["threshold", "probability"]
Measure = Literal["p1", "map", "mrr"]
Rule = Literal["f1", "p1"]
PointFigure = Literal["f1", "precision", "recall", "accuracy", "balanced_accuracy", "auc"]
RerankingFigure = Literal["picked", "gain", "share"]
PickKind = Literal["random", "fitted", "own"]
PicksFigure = Literal["metric", "people", "gap"]


class AnalysisParameters(TypedDict):
    """The options, without the seed."""

    gold: float | None
    rule: Rule
    tune: str
    report: str
    estimate: EstimateBy
    mixed: bool


class OptionsRow(AnalysisParameters):
    """The resolved options; `share`: the share of passages in a randomly drawn tuning part."""

    seed: int
    share: NotRequired[float]


class Parameters(OptionsRow):
    """The resolved options and the draws of the bootstrap."""

    draws: int


class PartCounts(TypedDict):
    """The answers of a part of the set."""

    answers: int
    passages: int
    correct: int | None


class Counts(TypedDict):
    """How many answers were used, and why others were not."""

    judged: int
    unjudged: int
    left_out: int
    one_sided: int
    tuning: PartCounts
    reported: PartCounts


class ConfusionRow(TypedDict):
    """Verdicts against correctness."""

    true_positive: int
    false_positive: int
    false_negative: int
    true_negative: int


class PointRow(TypedDict):
    """A metric's verdicts. threshold: of the metric's own scores. calls: whether it calls "some",
    "all" or "none" of the reported answers correct."""

    threshold: float | None
    calls: str | None
    reason: str
    counts: ConfusionRow | None
    f1: FigureRow
    precision: FigureRow
    recall: FigureRow
    accuracy: FigureRow
    balanced_accuracy: FigureRow
    auc: FigureRow


class SystemErrorsRow(TypedDict):
    """A metric's errors about systems."""

    rmse: FigureRow
    sigma: float | None
    kendall: FigureRow


class RerankingRow(TypedDict):
    """What is gained where the metric picks one answer to each question."""

    picked: FigureRow
    gain: FigureRow
    share: FigureRow


class PicksRow(TypedDict):
    """Picked answers by the metric and by people, and the gap."""

    metric: FigureRow
    people: FigureRow
    gap: FigureRow


class SurvivalRow(TypedDict):
    """The optimisation test of a metric: three kinds of picks, and figures over them."""

    random: PicksRow
    fitted: PicksRow
    own: PicksRow
    gold: FigureRow
    labels: FigureRow
    added: FigureRow


class MetricRow(RunName, PointRow):
    """A metric as a judge of correctness."""

    higher_is_better: bool
    systems: dict[Measure, SystemErrorsRow]
    reranked: RerankingRow
    optimised: NotRequired[SurvivalRow]


class SystemRow(TypedDict):
    """A system's values by measure: people's values, and each run's estimates by its key."""

    system: str
    n: int
    people: dict[Measure, float | None]
    metrics: dict[str, dict[Measure, float | None]]


class SystemValue(TypedDict):
    """A system and its value."""

    system: str
    value: float


class BestSystem(TypedDict):
    """`system`: the best system that answers every question, if any does."""

    system: SystemValue | None


class RerankingResult(BestSystem):
    """What picks are compared with."""

    instances: int
    chance: FigureRow
    best: FigureRow


class SurvivalResult(BestSystem):
    """What the metrics' picks are compared with; `labels`: a reranker that is fitted to people."""

    tuned: int
    instances: int
    features: list[str]
    chance: FigureRow
    best: FigureRow
    labels: FigureRow


class CorrectnessResult(TypedDict):
    """Every metric as a judge of correctness, in the order of the runs. systems: those that
    answered a reported question."""

    parameters: Parameters
    n: Counts
    always: PointRow
    metrics: list[MetricRow]
    measures: list[Measure]
    systems: list[SystemRow]
    reranking: RerankingResult
    optimised: NotRequired[SurvivalResult]


class CorrectnessDocument(CorrectnessResult):
    """The result with the set's version and content hash, as a file."""

    judgment_set: str
    version: int
    content_hash: str
    illustrative: bool
    date: str
