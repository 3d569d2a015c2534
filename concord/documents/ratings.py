"""Ratings of a study, spot checks, adjudication, and messages of raters."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, TypedDict

from concord.documents.base import Document
from concord.documents.conversion import Timestamp


@dataclass(frozen=True, kw_only=True)
class StudyRatingDocument(Document):
    """One worker's value for one candidate."""

    id: int
    candidate: str
    worker: Annotated[str, "The worker's name in the study."]
    stage: str
    value: Annotated[int | None, "Null if the worker could not judge."]
    shown: Annotated[
        list[int], "Order in which compared candidates were shown, from 1; else empty."
    ]
    answers: Annotated[dict[str, Any], "Answers to the protocol's criteria, by name."]
    comment: str
    seconds: float | None
    simulated: bool
    created_at: datetime


class SpotChecksDocument(TypedDict):
    """Ratings selected at random for a check."""

    drawn: int
    open_count: int
    good: int
    poor: int
    open: Annotated[list[StudyRatingDocument], "The first ratings without a verdict."]


@dataclass(frozen=True, kw_only=True)
class DisagreementDocument(Document):
    """A candidate, pair or set with different ratings."""

    id: int
    candidate: str
    text: str
    question: str
    values: list[float]
    range: float
    sd: float
    minority_share: Annotated[
        float, "Share of the raters who did not give the most frequent answer."
    ]
    adjudicated_value: Annotated[float | None, "Null if there is none."]


class AdjudicationDocument(TypedDict):
    """A value set by a person; it replaces the aggregate."""

    candidate: str
    criterion: Annotated[str, "Name of the criterion; empty: the main question."]
    value: float
    note: str
    made_by: str
    made_at: Timestamp


class MessageDocument(TypedDict):
    """A rater's message and its answer."""

    id: int
    worker: str
    kind: Literal["question", "appeal", "withdrawal"]
    text: str
    created_at: Timestamp
    answer: str
    answered_at: Timestamp | None
