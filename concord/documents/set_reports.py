"""Types of the JSON documents that describe the origin of a judgment set."""

from __future__ import annotations

from typing import Any, TypedDict

from concord.documents.agreement import RatingsAlpha, ShuffledAlpha
from concord.documents.import_report import ImportReportRow

# A step of the ledger: its kind and its options.
StepRow = dict[str, str | float]


class AlphasRow(TypedDict):
    """Alpha before and after the ledger and of shuffled ratings; `said` interprets them."""

    before: RatingsAlpha
    after: RatingsAlpha
    null: ShuffledAlpha | None
    said: str


class LedgerStepRow(TypedDict):
    number: int
    step: StepRow
    active: bool
    removed: int | None


# What stands for the aggregation of a study whose choices between candidates were frozen.
CHOICES = "choices"


class StudyReport(TypedDict):
    """How a set was frozen from a study.

    aggregation: of the gold scores; CHOICES where candidates were compared, which have none.

    protocols: the versions of the protocol by number, as `Protocol.to_json()` returns them.
    pairs_turned: key, phenomenon and both scores of each pair whose worse member is rated higher.
    """

    slug: str
    title: str
    preset: str
    preset_version: int
    seed: int
    protocol_version: int
    protocol: dict[str, Any]
    protocols: dict[str, dict[str, Any]]
    stages: list[str]
    aggregation: str
    ledger: list[StepRow]
    ledger_steps: list[LedgerStepRow]
    alpha: AlphasRow
    simulated: bool
    ratings: str
    ratings_kept: int
    ratings_left_out: int
    raters: int
    settled: int
    shared: int
    clipped: int
    left_out: dict[str, int]
    pairs_turned: list[list[str | float]]
    pairs_unrated: int


class PairStudyRow(TypedDict):
    """Minimal pairs of a study of their own. keys: those of its pairs in the set."""

    study: StudyReport
    keys: list[str]


class SetReport(ImportReportRow, total=False):
    """The origin of a version: a file, a file with minimal pairs, or a study.

    pair_studies: by name, the studies that collected minimal pairs for the set.

    added_to: the version that the file's candidates were added to. simulated: whether the set is
    illustrative because ratings in the file are simulated. unequal_sampling: whether rated
    candidates were drawn with unequal probabilities.
    """

    pairs: SetReport
    study: StudyReport
    pair_studies: dict[str, PairStudyRow]
    added_to: str
    simulated: bool
    unequal_sampling: bool
