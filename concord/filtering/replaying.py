"""Replay a ledger: what each step removes, and alpha before and after."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

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
from concord.filtering.workers import filter_workers
from concord.filtering.zscores import apply_zscores, threshold_notice
from concord.inference import Estimate
from concord.reliability import Level, Ratings, alpha


@dataclass(frozen=True)
class StepOutcome:
    """The outcome of one step.

    removed: number of ratings it removed. raters_kept: mean number of remaining ratings of the
    units that had any at the start. before, after: alpha. notice: a remark for the reader, such as
    that the step could not remove anything.
    """

    step: Step
    removed: int
    raters_kept: float
    before: Estimate
    after: Estimate
    notice: str | None = None


@dataclass(frozen=True, eq=False)
class Replay:
    """The outcome of each step of a ledger; `kept` is the mask of the remaining ratings, (n,).

    removed_by: the index of the step that removed a rating, -1 where it is kept, (n,).
    """

    outcomes: tuple[StepOutcome, ...]
    kept: NDArray[np.bool_]
    removed_by: NDArray[np.int64]
    before: Estimate
    after: Estimate


def replay(
    ledger: Ledger,
    ratings: Ratings,
    *,
    level: Level = "ordinal",
    seconds: NDArray[np.float64] | None = None,
) -> Replay:
    """Apply the steps in order, each to the ratings that the steps before it kept.

    `seconds`, of shape (n,), is each rating's time, NaN where unknown. A step that cannot remove
    anything (an unknown worker, a threshold too high) gives a notice, not an error, so that a
    ledger can be used on other ratings. Raises LedgerError where a step needs times and `seconds`
    is None.
    """
    selectors = build_selectors(ledger, ratings, seconds)
    rated_units = max(1, int(np.count_nonzero(ratings.unit_sizes)))
    positions = np.arange(len(ratings))
    initial_alpha = alpha_before = alpha(ratings, level)
    removed_by = np.full(len(ratings), -1)
    outcomes = []
    for index, (step, choose) in enumerate(zip(ledger.steps, selectors, strict=True)):
        mask = np.zeros(len(ratings), dtype=np.bool_)
        mask[positions] = True
        remaining = ratings.keep(mask)
        keep, notice = choose(remaining, positions)
        removed = len(positions) - int(keep.sum())
        removed_by[positions[~keep]] = index
        positions = positions[keep]
        alpha_after = alpha(remaining.keep(keep), level) if removed else alpha_before
        outcomes.append(
            StepOutcome(
                step=step,
                removed=removed,
                raters_kept=len(positions) / rated_units,
                before=alpha_before,
                after=alpha_after,
                notice=notice,
            )
        )
        alpha_before = alpha_after
    return Replay(
        outcomes=tuple(outcomes),
        kept=removed_by < 0,
        removed_by=removed_by,
        before=initial_alpha,
        after=alpha_before,
    )


# Takes the remaining ratings and their positions among all ratings; returns a mask of those to keep
# and a notice.
Selector = Callable[[Ratings, NDArray[np.int64]], tuple[NDArray[np.bool_], str | None]]


def build_selectors(
    ledger: Ledger, ratings: Ratings, seconds: NDArray[np.float64] | None
) -> list[Selector]:
    """The selector of each step; workers and ratings are looked up in `ratings` once.

    So the selectors can be applied to the same ratings in other units (`null`).
    """
    if seconds is not None and seconds.shape != (len(ratings),):
        raise LedgerError(f"seconds has shape {seconds.shape} for {len(ratings)} ratings")
    return [_selector(step, ratings, seconds) for step in ledger.steps]


def _selector(step: Step, ratings: Ratings, seconds: NDArray[np.float64] | None) -> Selector:
    match step:
        case ZScoreFilter():
            return lambda remaining, _: _by_zscore(step, remaining)
        case WorkerFilter():
            return lambda remaining, _: (
                filter_workers(remaining, step.threshold, step.by, step.ddof, step.at_least),
                None,
            )
        case ExcludeWorker():
            left_out = ratings.raters == _code(ratings.rater_names, step.worker)
            return _leaving_out(left_out, f"no rating by {step.worker} is left")
        case MinimumSeconds():
            if seconds is None:
                raise LedgerError("the step minimum-seconds needs the times of the ratings")
            return _leaving_out(seconds < step.seconds, None)
        case DropRating():
            left_out = (ratings.units == _code(ratings.unit_names, step.unit)) & (
                ratings.raters == _code(ratings.rater_names, step.worker)
            )
            return _leaving_out(left_out, f"no rating of {step.unit} by {step.worker} is left")


def _by_zscore(step: ZScoreFilter, remaining: Ratings) -> tuple[NDArray[np.bool_], str | None]:
    keep = apply_zscores(remaining, step.threshold, step.at_most, step.ddof, step.one_sided)
    return keep, threshold_notice(remaining, step.threshold, step.ddof)


def _leaving_out(left_out: NDArray[np.bool_], nothing_removed: str | None) -> Selector:
    def choose(
        remaining: Ratings, positions: NDArray[np.int64]
    ) -> tuple[NDArray[np.bool_], str | None]:
        keep = ~left_out[positions]
        return keep, nothing_removed if keep.all() else None

    return choose


def _code(names: tuple[str, ...], name: str) -> int:
    return names.index(name) if name in names else -1
