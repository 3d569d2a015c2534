"""Quality control of ratings: filters, worker statistics, ledgers, and the null of a filter.

A filter returns a mask of the ratings to keep; no rating is deleted.
"""

from concord.filtering.behaviour import (
    commonest_shares,
    longest_runs,
    same_text_shares,
    straight_liners,
    too_fast_shares,
)
from concord.filtering.ledger import (
    DropRating,
    ExcludeWorker,
    Ledger,
    LedgerError,
    MinimumSeconds,
    Step,
    WorkerFilter,
    ZScoreFilter,
)
from concord.filtering.null import describe_gain, null_alpha, selection_alpha
from concord.filtering.replaying import Replay, StepOutcome, replay
from concord.filtering.workers import (
    WorkerStatistics,
    correlation_with_others,
    equal_to_others,
    filter_workers,
    mean_abs_z,
    worker_statistics,
)
from concord.filtering.zscores import filter_by_zscore, max_zscore, threshold_notice, unit_zscores

__all__ = [
    "DropRating",
    "ExcludeWorker",
    "Ledger",
    "LedgerError",
    "MinimumSeconds",
    "Replay",
    "Step",
    "StepOutcome",
    "WorkerFilter",
    "WorkerStatistics",
    "ZScoreFilter",
    "commonest_shares",
    "correlation_with_others",
    "describe_gain",
    "equal_to_others",
    "filter_by_zscore",
    "filter_workers",
    "longest_runs",
    "max_zscore",
    "mean_abs_z",
    "null_alpha",
    "replay",
    "same_text_shares",
    "selection_alpha",
    "straight_liners",
    "threshold_notice",
    "too_fast_shares",
    "unit_zscores",
    "worker_statistics",
]
