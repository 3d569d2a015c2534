"""A comparison of metrics: the figure of each with its rank, and the tests of every pair."""

from typing import Any, Literal, NotRequired, TypedDict

from concord.documents.figures import ResamplesRow, Triangle
from concord.documents.human_agreement import People, RelativeAgreementRow

PermutationUnit = Literal["candidate", "instance", "passage"]
Correction = Literal["holm", "westfall-young"]

ComparisonDraws = TypedDict("ComparisonDraws", {"bootstrap": int | None, "perm-both": int | None})

PairTests = TypedDict(
    "PairTests",
    {
        "perm-both": NotRequired[Triangle],
        "holm": Triangle,
        "paired-bootstrap": NotRequired[Triangle],
        "jackknife": NotRequired[Triangle],
        "low": Triangle,
        "high": Triangle,
        "westfall-young": NotRequired[Triangle],
        "williams": NotRequired[Triangle],
    },
)


class CorrelationRow(ResamplesRow):
    """One metric's correlation with people, what it was averaged over, and its rank: 1 + the
    number of metrics that are significantly better. top: whether it is not shown to differ from the
    metric with the highest figure. group: by WMT's rule; neighbouring groups need not differ."""

    n: int
    value: float | None
    reason: str
    p: float | None
    ci: list[float] | None
    groups: int
    used: int
    too_few: int
    gold_constant: int
    metric_constant: int
    rank: int | None
    group: int | None
    top: bool | None


class MetricName(TypedDict):
    """What names a metric in a comparison."""

    metric: str
    multi_ref: str
    signature: str


class ComparisonRow(MetricName, CorrelationRow):
    """One metric of a comparison."""


class ComparisonTests(TypedDict):
    """What a comparison says of all its metrics together. units: what the bootstrap resampled.
    unit: whose scores PERM-BOTH swapped together."""

    n: int
    unjudged: int
    units: list[list[str | int]]
    unit: PermutationUnit
    draws: ComparisonDraws
    adjusted_by: Correction
    alpha: float
    pairs: int
    tests: PairTests
    between_metrics: Triangle


class UnnamedComparison(ComparisonTests):
    """`compare_steps`: metrics are in the order of the sample, without their names."""

    metrics: list[CorrelationRow]


class Comparison(ComparisonTests):
    """`concord.compare`."""

    metrics: list[ComparisonRow]


class AgreementRow(MetricName, CorrelationRow, RelativeAgreementRow):
    """One metric run of a stored set's comparison."""

    run: int


class AgreementAnalysis(ComparisonTests):
    """The analysis "agreement" of a stored set."""

    metrics: list[AgreementRow]
    people: People


class ComparisonDocument(TypedDict):
    """A stored comparison as a file. parameters: its options, the part of the set, and the
    criterion if any."""

    judgment_set: str
    version: int
    content_hash: str
    illustrative: bool
    kind: str
    parameters: dict[str, Any]
    date: str
    result: AgreementAnalysis
