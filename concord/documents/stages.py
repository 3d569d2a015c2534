"""Stages of a study: progress, cost, plan and assignments."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal, TypedDict

from concord.documents.base import Document


@dataclass(frozen=True, kw_only=True)
class StageDocument(Document):
    """The progress of a stage."""

    kind: Literal["qualification", "trial", "full", "second-look"]
    status: Literal["planned", "open", "closed"]
    opened_at: datetime | None
    closed_at: datetime | None
    paused_at: datetime | None
    percent: int
    hits: int
    wanted: Annotated[
        int | None, "Required assignments; null for a test, which any number of workers may take."
    ]
    submitted: int
    held: Annotated[int, "Assignments in progress."]
    surplus: Annotated[int, "Submitted too late to count, but paid."]
    workers: int
    ratings: int
    simulated: int
    cannot_judge: int
    earned_cents: int
    passed: int
    failed: int


class StageCostDocument(TypedDict):
    """What a complete stage requires; for a test, the figures for one worker."""

    kind: str
    hits: int
    candidates: int
    assignments: int
    ratings: int
    pay_cents: int
    problem: Annotated[str, "Why the cost is unknown; otherwise empty."]


class CostDocument(TypedDict):
    """The costs of the stages, and the total without the test."""

    stages: list[StageCostDocument]
    hits: int
    assignments: int
    ratings: int
    pay_cents: int
