"""A study's ledger and workers."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, TypedDict

from concord.documents.base import Document
from concord.documents.conversion import Timestamp
from concord.documents.study_agreement import AgreementFigureDocument


class LedgerStepDocument(TypedDict):
    """A filter or exclusion."""

    number: int
    step: dict[str, Any]
    note: str
    active: bool
    made_by: str
    made_at: Timestamp


class LedgerDocument(TypedDict):
    """The ledger and its effect."""

    steps: list[LedgerStepDocument]
    suggested_steps: Annotated[
        list[dict[str, Any]], "Filters of the protocol that are not in the ledger."
    ]
    kept: int
    removed: int
    before: Annotated[AgreementFigureDocument, "Alpha of all ratings."]
    after: Annotated[AgreementFigureDocument, "Alpha of the remaining ratings."]
    null: Annotated[float | None, "Alpha after applying the ledger to shuffled ratings."]
    summary: Annotated[str, "How much of the change in alpha is real."]


@dataclass(frozen=True, kw_only=True)
class WorkerDocument(Document):
    """A worker's figures; null if undefined."""

    worker: str
    qualified: str
    excluded_at: datetime | None
    withdrawn_at: datetime | None
    count: int
    submitted: int
    mean_z: float | None
    mean_abs_z: float | None
    correlation: float | None
    gold: float | None
    gold_count: int
    seconds: float | None
    alpha_change: float | None
    same_choice: Annotated[
        float | None, "Share of the others' choices on the same pairs or sets that are the same."
    ]
    flags: list[str]


class ParticipationDocument(TypedDict):
    """A worker in a study."""

    worker: str
    qualified: Literal["not yet", "passed", "failed"]
    tries: int
    consented_at: Timestamp | None
    excluded_at: Timestamp | None
    exclusion_reason: str
    withdrawn_at: Timestamp | None
    earned_cents: int
