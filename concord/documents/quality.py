"""A study's agreement, ledger and workers."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, TypedDict

from concord.documents.agreement import CoefficientsRow
from concord.documents.base import Document
from concord.documents.conversion import Timestamp
from concord.documents.figures import FigureRow


class ResamplesDocument(TypedDict):
    """How an interval by resampling was made, or why there is none."""

    clusters: Annotated[int, "Passages that were resampled."]
    draws: Annotated[int, "Number of resamples."]
    undefined: Annotated[int, "Resamples without the figure, left out."]
    reason: Annotated[str, "Why there is no interval; empty if there is one."]


class AgreementRowDocument(CoefficientsRow):
    """The agreement figures of some ratings."""

    kind: Annotated[str, "all, stage or constituent."]
    name: str
    ratings: int
    raters: int
    units: Annotated[int, "Candidates with two or more ratings."]
    alpha: Annotated[FigureRow, "Krippendorff's alpha."]
    ci: Annotated[list[float] | None, "95% interval."]
    interval: Annotated[ResamplesDocument, "What the interval is made of."]


class CriterionAgreementDocument(CoefficientsRow):
    """The agreement on one criterion, before and after the ledger."""

    name: str
    level: Annotated[str, "Level of measurement."]
    ratings: int
    raters: int
    units: Annotated[int, "Candidates with two or more ratings."]
    alpha: Annotated[FigureRow, "Krippendorff's alpha."]
    ci: Annotated[list[float] | None, "95% interval."]
    interval: Annotated[ResamplesDocument, "What the interval is made of."]
    after_ledger: FigureRow
    after_ledger_ci: list[float] | None
    kept: Annotated[int, "Answers that the ledger keeps."]


class MarksAgreementDocument(TypedDict):
    """The agreement on marked parts, after the ledger; intervals leave out raters."""

    answers: Annotated[int, "Candidates that several raters marked."]
    raters: int
    pairs: Annotated[int, "Pairs of raters of one candidate."]
    f1: Annotated[FigureRow, "Of marked characters."]
    severity_f1: Annotated[FigureRow, "Of characters with equal severity."]
    alpha: Annotated[FigureRow, "Krippendorff's alpha for unitising."]


@dataclass(frozen=True, kw_only=True)
class AgreementDocument(Document):
    """Agreement before the ledger (overall, by stage, by constituent) and after it."""

    level: str
    rows: list[AgreementRowDocument]
    criteria: Annotated[
        list[CriterionAgreementDocument], "By criterion of the protocol beside the main question."
    ]
    marks: Annotated[
        MarksAgreementDocument | None, "Null if the protocol asks for no marked parts."
    ]
    ranking: Annotated[
        dict[str, Any] | None,
        "Systems by win probability, as `concord ranking`; null without comparisons.",
    ]
    after_ledger: FigureRow
    after_ledger_ci: list[float] | None


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
    before: Annotated[FigureRow, "Alpha of all ratings."]
    after: Annotated[FigureRow, "Alpha of the remaining ratings."]
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
