"""Judgment sets, metrics, metric runs and analyses."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, TypedDict

from concord.documents.base import Document
from concord.documents.work import WorkDocument


@dataclass(frozen=True, kw_only=True)
class SetDocument(Document):
    """One version of a judgment set."""

    ref: Annotated[str, "NAME@VERSION."]
    name: str
    version: int
    title: str
    description: str
    illustrative: Annotated[bool, "An invented example: not the judgments of people."]
    source_format: str
    scale: Annotated[list[float] | None, "Lowest and highest rating."]
    candidates: int
    pairs: Annotated[int, "Minimal pairs."]
    content_hash: str
    created_at: datetime
    published_at: Annotated[datetime | None, "When it became public; null if only members see it."]
    role: Annotated[str | None, "Your role, or null."]


@dataclass(frozen=True, kw_only=True)
class SetDetailDocument(SetDocument):
    """One version, with the report of its import, statistics and scored metrics."""

    report: Annotated[list[str], "The import, in sentences."]
    statistics: Annotated[
        dict[str, Any],
        "Counts by constituent and split, phenomena of the pairs, criteria and marked errors.",
    ]
    metrics: Annotated[list[str], "Metrics with complete runs."]


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
