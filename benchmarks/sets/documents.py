"""Shapes of the JSON documents about how a judgment set came about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypedDict

from concord.filtering.ledger import StepRow
from concord.formats.documents import ImportReportRow


class AlphaRow(TypedDict):
    """Krippendorff's alpha with its interval, or the reason why it is undefined."""

    alpha: float | None
    ci: Sequence[float] | None
    level: str
    units: int
    ratings: int
    reason: str | None


class NullRow(TypedDict):
    """Alpha of shuffled ratings."""

    alpha: float | None
    ci: Sequence[float] | None


class AlphasRow(TypedDict):
    """Alpha before and after the ledger, of shuffled ratings, and what that means, in words."""

    before: AlphaRow
    after: AlphaRow
    null: NullRow | None
    said: str


class LedgerStepRow(TypedDict):
    number: int
    step: StepRow
    note: str
    active: bool
    removed: int | None


class StudyReport(TypedDict):
    """How a set was frozen from a study. protocols: every version of the protocol, by number, as
    `Protocol.to_json()`; pairs_turned: key, phenomenon and both scores."""

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


class SetReport(ImportReportRow, total=False):
    """How a version came about: from a file, with minimal pairs from another one, or from a study;
    added_to: the version whose rows it keeps."""

    pairs: SetReport
    study: StudyReport
    added_to: str
