"""Metrics, metric runs, analyses and submissions."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Literal, TypedDict

from concord.documents.base import Document
from concord.documents.work import WorkDocument


@dataclass(frozen=True, kw_only=True)
class RunDocument(WorkDocument):
    """The run of one metric on one version of a set."""

    judgment_set: Annotated[str, "NAME@VERSION."]
    metric: str
    multi_ref: Annotated[str, "How several references are combined."]
    signature: Annotated[str, "Identifies everything that can change a score."]
    items: int
    known: Annotated[int, "Items whose scores come from earlier runs."]
    computed: Annotated[int, "Items scored so far."]
    seconds: float
    device: str
    started_at: datetime | None
    submission: int | None


class RunsDocument(TypedDict):
    """The requested runs, in the order of the request."""

    runs: list[RunDocument]


@dataclass(frozen=True, kw_only=True)
class AnalysisDocument(WorkDocument):
    """Statistics of a set and its runs, computed by a worker."""

    judgment_set: Annotated[str, "NAME@VERSION."]
    kind: str
    parameters: dict[str, Any]
    seconds: float
    result: Annotated[dict[str, Any] | None, "Null until complete."]


class MetricDocument(TypedDict):
    """A metric of this installation."""

    name: str
    family: str
    higher_is_better: bool


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
    kind: Literal["scores", "judgments", "entry-point", "endpoint", "jury"]
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
    answers: Annotated[
        AnswerCountsDocument | None,
        "For the kind judgments, how many answers the judge gave; else null.",
    ]
    run: Annotated[
        RunDocument | None, "Null if it is withdrawn, or was carried over and not queued yet."
    ]
