"""Candidates and minimal pairs of a judgment set."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict

from concord.documents.base import Document
from concord.documents.conversation import ShownConversation
from concord.documents.description import WordsRow


@dataclass(frozen=True, kw_only=True)
class CandidateDocument(Document):
    """One generated answer; its gold score is null if it is hidden from you."""

    id: str
    candidate: str
    system: str
    score: float | None
    instance: str
    passage: str
    question: str
    conversation: ShownConversation
    references: list[str]
    constituent: str
    category: str
    split: str


class ScoreShareDocument(TypedDict):
    """A score of the candidate and the share of candidates below it."""

    metric: str
    run: int | None
    score: float | None
    above: float | None
    higher_is_better: bool


class CandidateRatingDocument(TypedDict):
    """One worker's value."""

    worker: Annotated[str, "A pseudonym, as on the set's pages."]
    group: str
    value: float
    simulated: bool


class CandidateCriterionDocument(TypedDict):
    """The candidate on one criterion."""

    name: str
    scale: Annotated[list[float] | None, "The lowest and highest value."]
    words: Annotated[WordsRow | None, "Of ratings in words; their values are positions from 0."]
    score: float | None
    ratings: list[CandidateRatingDocument]


class CandidateMarksDocument(TypedDict):
    """The errors that one worker marked."""

    worker: Annotated[str, "A pseudonym, as on the set's pages."]
    group: str
    simulated: bool
    spans: Annotated[
        list[dict[str, Any]], "As in the format concord: start, end, severity and categories."
    ]


@dataclass(frozen=True, kw_only=True)
class CandidateDetailDocument(CandidateDocument):
    """A candidate with every rating and every metric's score."""

    ratings: list[CandidateRatingDocument]
    criteria: list[CandidateCriterionDocument]
    marks: list[CandidateMarksDocument]
    people: ScoreShareDocument
    metrics: list[ScoreShareDocument]


@dataclass(frozen=True, kw_only=True)
class PairDocument(Document):
    """Two candidates to one instance, the first better, and a metric's verdict."""

    id: str
    phenomenon: str
    passage: str
    question: str
    conversation: ShownConversation
    references: list[str]
    candidate1: str
    score1: Annotated[float, "By people."]
    candidate2: str
    score2: Annotated[float, "By people."]
    metric1: Annotated[float | None, "By the metric."]
    metric2: Annotated[float | None, "By the metric."]
    verdict: Literal["right", "tie", "wrong", "none"]
