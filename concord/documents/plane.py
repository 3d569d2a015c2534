"""The evaluation plane of a set: the grid of AEv's members, and where the set lies."""

from typing import NotRequired, TypedDict

from concord.documents.systems import SystemGoldRow

Grid = list[list[float | None]]


class BestCell(TypedDict):
    """The best member; `place` is its row and column, `share` its share of the draws."""

    alpha: float
    n: int
    place: list[int]
    metric: str
    r_squared: float
    ci: list[float] | None
    share: float


class PredictedRegion(TypedDict):
    """Where the plane predicts the best cell; alpha and n are [lowest, highest]."""

    precision: float
    faithfulness: float
    alpha: list[float]
    n: list[int]
    places: list[int]
    holds_best: bool
    share: float


class TextSizes(TypedDict):
    """Lengths of a set's texts."""

    candidate: float
    reference: float
    references: float
    asked: float
    source: float | None
    length_ratio: float | None


class Suggestion(TypedDict):
    """A position on one axis, and the reason."""

    name: str
    why: str


class SuggestedPlace(TypedDict):
    """The position that the texts and the criterion of a set suggest."""

    guideline: Suggestion
    application: Suggestion


class FloodedRow(TypedDict):
    """The answers that were made longer, of so many good ones, and their systems."""

    answers: int
    good: int
    systems: list[str]


class PlaneGrid(TypedDict):
    """Correlations over systems, a row an alpha and a column an n."""

    n: int
    unjudged: int
    nameless: int
    systems: list[SystemGoldRow]
    r: Grid
    low: Grid
    high: Grid
    best_share: Grid
    indistinct: list[list[bool]]
    without_best: float
    draws: int
    passages: int
    best: BestCell | None
    reason: str


class PlaneTexts(TypedDict):
    """The position by a set's texts and criterion; `flooded` where answers were added."""

    sizes: TextSizes
    criterion: str
    suggested: SuggestedPlace
    flooded: NotRequired[FloodedRow]


class PlaneAnalysis(PlaneGrid, PlaneTexts):
    """The analysis "plane" of a stored set."""

    predicted: PredictedRegion | None
