"""Replay a ledger: what each step leaves out, and alpha before and after."""

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
    Worker,
    ZScore,
)
from concord.filtering.workers import worker_filter
from concord.filtering.zscores import apply_zscores, threshold_notice
from concord.reliability import Alpha, Level, Ratings, reported_alpha


@dataclass(frozen=True)
class StepOutcome:
    """What one step did.

    removed: ratings it left out. raters_kept: mean ratings kept, after it, of the units that had
    any at the outset. before, after: alpha. notice: what a reader should know, such as a step
    that could find nothing to leave out.
    """

    step: Step
    removed: int
    raters_kept: float
    before: Alpha
    after: Alpha
    notice: str | None = None


@dataclass(frozen=True, eq=False)
class Replay:
    """What a ledger did: each step's outcome, and the ratings kept in the end, a mask (n,)."""

    outcomes: tuple[StepOutcome, ...]
    kept: NDArray[np.bool_]
    before: Alpha
    after: Alpha


def replay(
    ledger: Ledger,
    ratings: Ratings,
    *,
    level: Level = "ordinal",
    seconds: NDArray[np.float64] | None = None,
) -> Replay:
    """Apply the steps in order, each to what those before it kept.

    `seconds`, of shape (n,), holds each rating's time, NaN where unknown. A step that finds
    nothing (an unknown worker, a threshold out of reach) is an outcome with a notice, not an
    error, so that a ledger outlives the ratings it was written for. Raises LedgerError where
    times are asked for and none are given.
    """
    chooses = selectors(ledger, ratings, seconds)
    had_any = max(1, int(np.count_nonzero(ratings.unit_sizes)))
    kept = np.arange(len(ratings))
    first = before = reported_alpha(ratings, level)
    outcomes = []
    for step, choose in zip(ledger.steps, chooses, strict=True):
        mask = np.zeros(len(ratings), dtype=np.bool_)
        mask[kept] = True
        now = ratings.keep(mask)
        chosen, notice = choose(now, kept)
        removed = len(kept) - int(chosen.sum())
        kept = kept[chosen]
        after = reported_alpha(now.keep(chosen), level) if removed else before
        outcomes.append(StepOutcome(step, removed, len(kept) / had_any, before, after, notice))
        before = after
    mask = np.zeros(len(ratings), dtype=np.bool_)
    mask[kept] = True
    return Replay(tuple(outcomes), mask, first, before)


# From the ratings kept so far, and their places among all ratings, to a mask of those to keep on
# and a notice.
Selector = Callable[[Ratings, NDArray[np.int64]], tuple[NDArray[np.bool_], str | None]]


def selectors(
    ledger: Ledger, ratings: Ratings, seconds: NDArray[np.float64] | None
) -> list[Selector]:
    """What each step does, with single ratings looked up in `ratings` once and for all.

    The selectors may so be applied to the same ratings in other units (`null`).
    """
    if seconds is not None and seconds.shape != (len(ratings),):
        raise LedgerError(f"{seconds.shape} times are given for {len(ratings)} ratings")
    return [_selector(step, ratings, seconds) for step in ledger.steps]


def _selector(step: Step, ratings: Ratings, seconds: NDArray[np.float64] | None) -> Selector:
    match step:
        case ZScore():
            return lambda now, _: _by_zscore(step, now)
        case Worker():
            return lambda now, _: (
                worker_filter(now, step.threshold, step.by, step.ddof, step.at_least),
                None,
            )
        case ExcludeWorker():
            left_out = ratings.raters == _code(ratings.rater_names, step.worker)
            return _leaving_out(left_out, f"no rating by {step.worker} is left")
        case MinimumSeconds():
            if seconds is None:
                raise LedgerError("a minimum of seconds needs the times of the ratings")
            return _leaving_out(seconds < step.seconds, None)
        case DropRating():
            left_out = (ratings.units == _code(ratings.unit_names, step.unit)) & (
                ratings.raters == _code(ratings.rater_names, step.worker)
            )
            return _leaving_out(left_out, f"no rating of {step.unit} by {step.worker} is left")


def _by_zscore(step: ZScore, now: Ratings) -> tuple[NDArray[np.bool_], str | None]:
    keep = apply_zscores(now, step.threshold, step.at_most, step.ddof, step.one_sided)
    return keep, threshold_notice(now, step.threshold, step.ddof)


def _leaving_out(left_out: NDArray[np.bool_], none: str | None) -> Selector:
    def choose(now: Ratings, places: NDArray[np.int64]) -> tuple[NDArray[np.bool_], str | None]:
        keep = ~left_out[places]
        return keep, none if keep.all() else None

    return choose


def _code(names: tuple[str, ...], name: str) -> int:
    return names.index(name) if name in names else -1
