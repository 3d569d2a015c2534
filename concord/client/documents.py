"""Documents of the API as dataclasses.

Unknown fields of newer servers are ignored; `Document.raw` is the complete JSON object.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, TypeVar

DocumentType = TypeVar("DocumentType", bound="Document")


@dataclass(frozen=True, kw_only=True)
class Document:
    raw: Mapping[str, Any] = field(repr=False, compare=False)

    @classmethod
    def of(cls: type[DocumentType], raw: Mapping[str, Any]) -> DocumentType:
        """The document of a JSON object. Raises KeyError for a missing field."""
        names = [field.name for field in fields(cls) if field.name != "raw"]
        return cls(raw=raw, **{name: _value(name, raw[name]) for name in names})


def _value(name: str, value: Any) -> Any:
    """Convert times (fields named `..._at`) to datetimes."""
    if name.endswith("_at") and isinstance(value, str):
        return datetime.fromisoformat(value.replace("Z", "+00:00"))
    return value


@dataclass(frozen=True, kw_only=True)
class Work(Document):
    """A background task, such as a metric run. `reason` says why it failed."""

    id: int
    status: str
    percent: int
    reason: str
    created_at: datetime
    finished_at: datetime | None

    @property
    def has_ended(self) -> bool:
        """Whether the job has ended: complete, failed, refused (too few data) or cancelled."""
        return self.status not in ("queued", "running")


@dataclass(frozen=True, kw_only=True)
class JudgmentSet(Document):
    """One version of a judgment set; `ref` names it."""

    ref: str
    name: str
    version: int
    title: str
    description: str
    illustrative: bool
    source_format: str
    scale: Sequence[float] | None
    candidates: int
    pairs: int
    content_hash: str
    created_at: datetime
    published_at: datetime | None
    role: str | None


@dataclass(frozen=True, kw_only=True)
class Run(Work):
    """One metric over one version of a set."""

    judgment_set: str
    metric: str
    multi_ref: str
    signature: str
    items: int
    known: int
    computed: int
    seconds: float
    submission: int | None


@dataclass(frozen=True, kw_only=True)
class Analysis(Work):
    """Statistics of a set and its runs; `result` is None until it is complete."""

    judgment_set: str
    kind: str
    parameters: Mapping[str, Any]
    result: Mapping[str, Any] | None


@dataclass(frozen=True, kw_only=True)
class SetImport(Work):
    """An import of files. `judgment_set` is the set's name once complete; `problem` is set where it
    failed."""

    name: str
    format: str
    files: Sequence[str]
    rows: int
    bytes_read: int
    bytes_total: int
    report: Sequence[str]
    judgment_set: str | None
    problem: Mapping[str, Any] | None


@dataclass(frozen=True, kw_only=True)
class Freezing(Work):
    """The freezing of a study. `judgment_set` is the set's name once complete; `preview` has the
    figures once they are computed."""

    study: str
    aggregation: str
    stages: Sequence[str]
    name: str
    is_preview: bool
    preview: Mapping[str, Any] | None
    judgment_set: str | None


@dataclass(frozen=True, kw_only=True)
class CandidateImport(Work):
    """An upload's candidates being added to a study; `counts` says what became of them once it is
    complete."""

    study: str
    name: str
    counts: Mapping[str, int] | None


@dataclass(frozen=True, kw_only=True)
class Training(Work):
    """A training of the learned metric `name`; `checkpoint` is this name once complete, `raw` has
    options and curves."""

    name: str
    kind: str
    judgment_sets: Sequence[str]
    step: int
    steps: int
    seconds: float
    checkpoint: str | None


@dataclass(frozen=True, kw_only=True)
class Checkpoint(Document):
    """A learned metric that was trained or imported; `card` describes its training."""

    name: str
    kind: str
    weights_sha256: str
    created_at: datetime
    card: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class TryOut(Work):
    """A try-out of one answer. `scores` has a row for each finished metric; `weights` are those of
    the words once it is complete."""

    candidate: str
    references: Sequence[str]
    question: str
    passage: str
    scores: Sequence[Mapping[str, Any]]
    weights: Sequence[Mapping[str, Any]] | None


@dataclass(frozen=True, kw_only=True)
class Board(Document):
    """A leaderboard; rows are those of `manage.py leaderboard --format json`."""

    judgment_set: str
    version: int
    n: int
    by: str | None
    criterion: str | None
    rows: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Candidate(Document):
    """One generated answer; `score` is None where it is not judged or is hidden."""

    id: str
    candidate: str
    system: str
    score: float | None
    instance: str
    passage: str
    question: str
    references: Sequence[str]
    constituent: str
    category: str
    split: str


@dataclass(frozen=True, kw_only=True)
class MinimalPair(Document):
    """Two candidates, the first better, with the scores of a metric."""

    id: str
    phenomenon: str
    candidate1: str
    score1: float
    candidate2: str
    score2: float
    metric1: float | None
    metric2: float | None
    verdict: str


@dataclass(frozen=True, kw_only=True)
class Submission(Document):
    """A metric somebody submitted. carried_from: the version its scores are from; missing: how many
    scores it then lacks. answers: of a judge, how many it gave."""

    id: int
    judgment_set: str
    kind: str
    name: str
    higher_is_better: bool
    created_at: datetime
    published_at: datetime | None
    withdrawn_at: datetime | None
    run: Mapping[str, Any] | None
    carried_from: str | None = None
    missing: int = 0
    answers: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True)
class Study(Document):
    """A rating study; `protocol` is its current one."""

    slug: str
    title: str
    preset: str
    seed: int
    protocol_version: int
    created_at: datetime
    published_at: datetime | None
    archived_at: datetime | None = None
    rater_language: str = ""
    role: str | None


@dataclass(frozen=True, kw_only=True)
class Stage(Document):
    """A stage of a study: qualification, trial or full collection. `wanted` is None for a test,
    which any number of workers may take."""

    kind: str
    status: str
    paused_at: datetime | None = None
    percent: int
    hits: int
    wanted: int | None
    submitted: int
    ratings: int
    earned_cents: int


@dataclass(frozen=True, kw_only=True)
class Upload(Document):
    """An uploaded file that is not imported yet."""

    id: int
    name: str
    format: str
    use: str
    needs_columns: bool


@dataclass(frozen=True, kw_only=True)
class Rating(Document):
    """One worker's value for one candidate; None: the worker could not judge."""

    id: int
    candidate: str
    worker: str
    stage: str
    value: int | None
    shown: list[int]
    answers: dict[str, Any]
    comment: str
    seconds: float | None
    simulated: bool
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class RaterDisagreement(Document):
    """A candidate, or a pair, that raters disagree about.

    `minority_share` is the share of the raters who did not give the most frequent answer.
    """

    id: int
    candidate: str
    text: str
    question: str
    values: list[float]
    range: float
    sd: float
    minority_share: float
    adjudicated_value: float | None


@dataclass(frozen=True, kw_only=True)
class Worker(Document):
    """A worker's statistics, None where undefined; `flags` are warnings to check."""

    worker: str
    qualified: str
    excluded_at: datetime | None
    count: int
    submitted: int
    mean_z: float | None
    correlation: float | None
    gold: float | None
    alpha_change: float | None
    flags: Sequence[str]


@dataclass(frozen=True, kw_only=True)
class Agreement(Document):
    """Agreement: rows for all ratings and by stage and constituent, before the ledger;
    Krippendorff's alpha after it.

    criteria, halo: by criterion, and of every two questions. marks: on marked parts. ranking: of
    systems, from choices between two candidates. None where a study does not ask for them.
    """

    level: str
    rows: Sequence[Mapping[str, Any]]
    criteria: Sequence[Mapping[str, Any]]
    halo: Sequence[Mapping[str, Any]]
    marks: Mapping[str, Any] | None
    ranking: Mapping[str, Any] | None
    after_ledger: Mapping[str, Any]
    after_ledger_ci: Sequence[float] | None


@dataclass(frozen=True, kw_only=True)
class Publication(Document):
    """A stage published on a crowd platform."""

    id: int
    stage: str
    provider: str
    status: str
    problem: str
    percent: int
    places: int
    states: Mapping[str, int]
    paid_cents: int
    fee_cents: int
    budget_cents: int | None
    created_at: datetime
    synced_at: datetime | None
