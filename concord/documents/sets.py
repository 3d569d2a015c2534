"""Judgment sets, what is public of them, and the jobs that make them."""

from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, TypedDict

from concord.documents.base import Document
from concord.documents.description import WordsRow
from concord.documents.problems import FailureDocument
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
    words: Annotated[WordsRow | None, "Of ratings in words; their values are positions from 0."]
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
class ImportDocument(WorkDocument):
    """An import of files into a judgment set."""

    name: Annotated[str, "The set's name, without a version."]
    format: str
    files: Annotated[list[str], "Names of the files; the file of minimal pairs comes last."]
    rows: Annotated[int, "Candidates and pairs read so far."]
    bytes_read: int
    bytes_total: int
    report: Annotated[list[str], "What was read and imported, in sentences."]
    judgment_set: Annotated[
        str | None, "NAME@VERSION of the new version. Null if there is none, or none you may see."
    ]
    problem: Annotated[FailureDocument | None, "Null if it did not fail."]


class FrozenDocument(TypedDict):
    """Preview of the set that freezing would make."""

    candidates: int
    pairs: int
    ratings: int
    left_out: Annotated[dict[str, int], "By reason."]
    unrated_pairs: int
    reversed_pairs: Annotated[list[str], "Pairs whose better member is not rated higher."]
    shared: Annotated[int, "Candidates with the ratings of a duplicate."]
    settled: Annotated[int, "Candidates with an adjudicated value."]
    is_simulated: bool
    judged_pairs: Annotated[
        int, "Where raters compare candidates: pairs with choices, also those implied by sets."
    ]
    choices: Annotated[int, "Choices on these pairs."]


@dataclass(frozen=True, kw_only=True)
class FreezingDocument(WorkDocument):
    """A job that freezes a study to a judgment set, or computes a preview."""

    study: str
    aggregation: str
    stages: list[str]
    name: Annotated[str, "The set's name, without a version."]
    is_preview: Annotated[bool, "Whether the job makes no set."]
    preview: Annotated[FrozenDocument | None, "Null until it is computed."]
    judgment_set: Annotated[
        str | None, "NAME@VERSION of the new version. Null if there is none, or none you may see."
    ]
