"""Submitted metrics, and splits with hidden labels."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal, TypedDict

from concord.documents.base import Document
from concord.documents.runs import RunDocument


class AnswerCountsDocument(TypedDict):
    """The answers of a judge."""

    answers: int
    invalid: Annotated[int, "Answers without a valid score or label."]
    unscored: Annotated[int, "Candidates without a valid answer."]
    repeats: Annotated[int, "The most answers about one candidate."]
    model: Annotated[str, "The model's version, as the file names it."]


@dataclass(frozen=True, kw_only=True)
class SubmissionDocument(Document):
    """A submitted metric; its scores are a metric run."""

    id: int
    judgment_set: Annotated[str, "NAME@VERSION."]
    kind: Literal["scores", "judgments", "entry-point", "endpoint"]
    name: str
    authors: str
    link: str
    note: str
    higher_is_better: bool
    source: str
    created_at: datetime
    published_at: datetime | None
    withdrawn_at: datetime | None
    carried_from: Annotated[
        str | None, "NAME@VERSION from which its scores were carried over; else null."
    ]
    missing: Annotated[
        int, "The number of candidates and pairs that a carried submission has no score for."
    ]
    answers: Annotated[
        AnswerCountsDocument | None,
        "For the kind judgments, how many answers the judge gave; else null.",
    ]
    run: Annotated[RunDocument | None, "Null if it is withdrawn, or if a candidate has no score."]


class HiddenLabelsDocument(TypedDict):
    """The splits whose labels only the set's editors see."""

    splits: Annotated[list[str], "An empty name means all splits."]
