"""Quality control of ratings: filters, statistics of workers, ledgers, and what noise would give.

Pure: numpy and dataclasses. A filter returns a mask of the ratings kept; nothing is deleted.
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
    Worker,
    ZScore,
)
from concord.filtering.null import Null, gain_sentence, selected_alpha, shuffled_null
from concord.filtering.replaying import Replay, StepOutcome, replay
from concord.filtering.workers import (
    WorkerStatistics,
    correlation_with_others,
    mean_abs_z,
    worker_filter,
    worker_statistics,
)
from concord.filtering.zscores import highest_zscore, threshold_notice, unit_zscores, zscore_filter

__all__ = [
    "DropRating",
    "ExcludeWorker",
    "Ledger",
    "LedgerError",
    "MinimumSeconds",
    "Null",
    "Replay",
    "Step",
    "StepOutcome",
    "Worker",
    "WorkerStatistics",
    "ZScore",
    "commonest_shares",
    "correlation_with_others",
    "gain_sentence",
    "highest_zscore",
    "longest_runs",
    "mean_abs_z",
    "replay",
    "same_text_shares",
    "selected_alpha",
    "shuffled_null",
    "straight_liners",
    "threshold_notice",
    "too_fast_shares",
    "unit_zscores",
    "worker_filter",
    "worker_statistics",
    "zscore_filter",
]
