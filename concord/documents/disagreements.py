"""Disagreements of metrics with people, and changed versions."""

from typing import Annotated, TypedDict


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
