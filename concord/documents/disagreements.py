"""Disagreements of metrics with people, their tags, pairs far apart, and changed versions."""

from typing import Annotated, TypedDict

from concord.documents.comparison import RunName
from concord.documents.figures import FigureRow


class ConflictDocument(TypedDict):
    """A candidate on which two sides disagree, with the share of candidates below it by each."""

    id: str
    candidate: str
    question: str
    references: list[str]
    system: str
    score: float
    other: Annotated[float, "By people, or the other metric."]
    by_one: float
    by_other: float
    reasons: Annotated[list[str], "The reasons people gave."]


class ConflictsDocument(TypedDict):
    """The largest disagreements, largest first."""

    conflicts: list[ConflictDocument]


class GoldChangeDocument(TypedDict):
    """A candidate whose gold score differs; null means not judged."""

    id: str
    before: float | None
    after: float | None


class ChangesDocument(TypedDict):
    """Candidates that were added, removed or changed from one version to another."""

    first: str
    second: str
    common: int
    added: list[str]
    gone: list[str]
    text_changed: list[str]
    changes: list[GoldChangeDocument]
    correlation: float | None
    mean_change: float | None


class TagDocument(TypedDict):
    """A reason for a disagreement; `other` is null for a disagreement with people."""

    id: int
    run: int
    other: int | None
    candidate: str
    reason: str
    note: str


class TallyDocument(TypedDict):
    """How many candidates have each reason, for one metric against people or another metric."""

    run: int
    metric: str
    other: int | None
    tagged: Annotated[int, "Candidates with any reason; one may have several."]
    counts: Annotated[dict[str, int], "By reason."]


class TalliesDocument(TypedDict):
    """Most tagged candidates first."""

    tallies: list[TallyDocument]


class RankPairsRow(RunName):
    """A complete run: its share of pairs in people's order, and the number won, tied and lost."""

    figure: FigureRow
    won: int
    tied: int
    lost: int


class RankPairsTable(TypedDict):
    """Each metric's share of pairs that it orders as people do."""

    threshold: float
    n: int
    rows: list[RankPairsRow]
