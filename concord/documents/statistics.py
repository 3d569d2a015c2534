"""The stored statistics of a metric run."""

from typing import Annotated, NotRequired, TypedDict

from concord.documents.figures import FigureRow


class PhenomenonRow(TypedDict):
    """Accuracy on the minimal pairs of one phenomenon."""

    n: int
    accuracy: float | None
    ci: list[float] | None


class PairsRow(TypedDict):
    """Accuracy on minimal pairs: `value` (null) and `reason` where it is undefined, else `ci` and
    `by_phenomenon`."""

    n: int
    accuracy: float | None
    value: NotRequired[None]
    reason: NotRequired[str]
    ci: NotRequired[list[float] | None]
    by_phenomenon: NotRequired[dict[str, PhenomenonRow]]


class TrainingRow(TypedDict):
    """How many of a row's `items` a learned metric was trained on."""

    setting: str | None
    items: int
    answered: int
    asked: int
    share: float
    known: bool


class StatisticsRow(TypedDict):
    """A metric's agreement with people, on all candidates or on one group of them."""

    group: str | None
    n: int
    pearson: FigureRow
    spearman: FigureRow
    kendall: FigureRow
    pairs: Annotated[PairsRow, "Accuracy on minimal pairs."]
    training: NotRequired[
        Annotated[TrainingRow, "Of metrics that learn from judgments: what they were trained on."]
    ]


class SystemMeanRow(TypedDict):
    """A metric's mean over a system's candidates; `corpus`: its score of all of them together."""

    system: str
    n: int
    mean: FigureRow
    corpus: NotRequired[float | None]


class RunStatistics(TypedDict):
    """`run_statistics`: rows by grouping ("" is the whole set), and means by system."""

    revision: int
    rows: dict[str, list[StatisticsRow]]
    systems: list[SystemMeanRow]
