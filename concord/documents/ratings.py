"""Ratings of a study, spot checks, adjudication, and messages of raters."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

from concord.documents.base import Document


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
