"""Workers as a whole: how far from the others they rate, and the filter that removes them.

KPQA cites Jung and Lease (2011), Improving Consensus Accuracy via Z-score and Weighted Voting,
for its filter of ratings; that paper filters workers, by the z-score of a figure of each worker
among all workers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from concord.filtering.zscores import DECIMALS, unit_zscores
from concord.reliability import Level, Ratings, RatingsError, alpha, alpha_without_each

WorkerMeasure = Literal["among-workers", "mean-abs-z"]
WORKER_MEASURES: tuple[WorkerMeasure, ...] = get_args(WorkerMeasure)


def mean_abs_z(ratings: Ratings, ddof: int = 0) -> NDArray[np.float64]:
    """Each worker's mean |z| within the units rated, shape (n_raters,); NaN without any.

    In a unit of equal ratings everybody is at the mean and |z| counts as 0; units of one rating
    say nothing and are left out.
    """
    return _worker_mean(ratings, np.abs(_zscores(ratings, ddof)), ratings.pairable)


def worker_filter(
    ratings: Ratings,
    threshold: float = 2.0,
    by: WorkerMeasure = "among-workers",
    ddof: int = 0,
    at_least: int = 2,
) -> NDArray[np.bool_]:
    """Remove workers who rate far from the others, with all their ratings: a mask (n,) of kept.

    by "among-workers" (as Jung and Lease): a worker goes whose mean |z| is more than `threshold`
        standard deviations (ddof as given) above the mean of all workers' mean |z|. One-sided:
        agreeing too well is no fault.
    by "mean-abs-z": a worker goes whose mean |z| itself is above `threshold`.

    Comparisons are strict, after rounding to 12 decimals. A worker with fewer than `at_least`
    ratings in units of two or more is neither removed nor counted among the workers. The filter
    is one pass; what remains is not measured again. Raises RatingsError for a threshold that is
    not above zero and for unknown options.
    """
    check_worker_options(threshold, by, ddof, at_least)
    measured = mean_abs_z(ratings, ddof)
    counts = np.bincount(ratings.raters[ratings.pairable], minlength=ratings.n_raters)
    measured[counts < at_least] = np.nan
    known = ~np.isnan(measured)
    if by == "among-workers":
        n = int(known.sum())
        if n < 2 or np.ptp(measured[known]) <= 10.0**-DECIMALS:
            return np.ones(len(ratings), dtype=np.bool_)
        measured = (measured - measured[known].mean()) / measured[known].std(ddof=ddof)
    bad = np.round(np.where(known, measured, -np.inf), DECIMALS) > threshold
    return np.asarray(~bad[ratings.raters])


def check_worker_options(threshold: float, by: str, ddof: int, at_least: int) -> None:
    if not (np.isfinite(threshold) and threshold > 0):
        raise RatingsError(f"a z-score threshold above zero is needed, not {threshold:g}")
    if by not in WORKER_MEASURES:
        raise RatingsError(f"the measure '{by}' is none of {', '.join(WORKER_MEASURES)}")
    if ddof not in (0, 1):
        raise RatingsError(f"ddof is 0 (population) or 1 (sample), not {ddof}")
    if at_least < 1:
        raise RatingsError(f"workers have {at_least} ratings or more anyway")


@dataclass(frozen=True, eq=False)
class WorkerStatistics:
    """What is known of each worker, each array of shape (n_raters,), NaN where undefined.

    count: ratings, int64. mean_z, mean_abs_z: of ratings within their units; mean z above 0 is a
    worker who rates high. correlation: Pearson's, of the worker's ratings with the mean of the
    unit's other ratings, over three units or more. gold_count, int64, and gold_accuracy: units
    with a key, and the share of them rated within the tolerance. seconds: median time a rating.
    alpha_change: alpha without the worker less alpha with; above 0, agreement is better without.
    """

    count: NDArray[np.int64]
    mean_z: NDArray[np.float64]
    mean_abs_z: NDArray[np.float64]
    correlation: NDArray[np.float64]
    gold_count: NDArray[np.int64]
    gold_accuracy: NDArray[np.float64]
    seconds: NDArray[np.float64]
    alpha_change: NDArray[np.float64]


def worker_statistics(
    ratings: Ratings,
    *,
    level: Level = "ordinal",
    ddof: int = 0,
    gold: NDArray[np.float64] | None = None,
    tolerance: float = 0.0,
    seconds: NDArray[np.float64] | None = None,
) -> WorkerStatistics:
    """Each worker's figures.

    `gold` holds each unit's key, NaN where none, shape (n_units,), `seconds` the time of each
    rating, NaN where unknown, shape (n,). Raises RatingsError for arrays of another shape.
    """
    if gold is not None and gold.shape != (ratings.n_units,):
        raise RatingsError(f"{gold.shape} keys are given for {ratings.n_units} units")
    if seconds is not None and seconds.shape != (len(ratings),):
        raise RatingsError(f"{seconds.shape} times are given for {len(ratings)} ratings")
    keys = np.full(len(ratings), np.nan) if gold is None else gold[ratings.units]
    keyed = ~np.isnan(keys)
    right = np.abs(ratings.values - keys) <= tolerance + 10.0**-DECIMALS
    everyone = alpha(ratings, level).value
    without = alpha_without_each(ratings, level)
    z = _zscores(ratings, ddof)
    return WorkerStatistics(
        count=np.bincount(ratings.raters, minlength=ratings.n_raters).astype(np.int64),
        mean_z=_worker_mean(ratings, z, ratings.pairable),
        mean_abs_z=_worker_mean(ratings, np.abs(z), ratings.pairable),
        correlation=correlation_with_others(ratings),
        gold_count=np.bincount(ratings.raters[keyed], minlength=ratings.n_raters).astype(np.int64),
        gold_accuracy=_worker_mean(ratings, right.astype(np.float64), keyed),
        seconds=_medians(ratings, seconds),
        alpha_change=without - (np.nan if everyone is None else everyone),
    )


def correlation_with_others(ratings: Ratings) -> NDArray[np.float64]:
    """Pearson's r of each worker's ratings with the mean of the others' ratings of the same units.

    Shape (n_raters,), each in [-1, 1]. NaN for a worker with fewer than three such units, or
    where either side does not vary.
    """
    sizes, n = ratings.unit_sizes, ratings.n_raters
    met = ratings.pairable
    sums = np.bincount(ratings.units, ratings.values, ratings.n_units)
    # A worker with two ratings of a unit (shuffled ratings have them) is not another to himself.
    cells = ratings.units * n + ratings.raters
    _, cell = np.unique(cells, return_inverse=True)
    own, own_sum = np.bincount(cell)[cell], np.bincount(cell, ratings.values)[cell]
    left = sizes[ratings.units] - own
    met = met & (left > 0)
    raters, values = ratings.raters[met], ratings.values[met]
    others = (sums[ratings.units] - own_sum)[met] / left[met]
    counts = np.bincount(raters, minlength=n)
    with np.errstate(invalid="ignore", divide="ignore"):
        x = values - (np.bincount(raters, values, n) / counts)[raters]
        y = others - (np.bincount(raters, others, n) / counts)[raters]
        spread = np.bincount(raters, x * x, n), np.bincount(raters, y * y, n)
        result = np.bincount(raters, x * y, n) / np.sqrt(spread[0] * spread[1])
    scale = 1e-20 * np.maximum(1.0, np.square(ratings.values).max(initial=0.0)) * counts
    result[(counts < 3) | (spread[0] <= scale) | (spread[1] <= scale)] = np.nan
    return np.asarray(np.clip(result, -1.0, 1.0))


def _zscores(ratings: Ratings, ddof: int) -> NDArray[np.float64]:
    """z within the unit, 0 where the unit does not vary."""
    return np.nan_to_num(unit_zscores(ratings, ddof), nan=0.0)


def _worker_mean(
    ratings: Ratings, figures: NDArray[np.float64], counted: NDArray[np.bool_]
) -> NDArray[np.float64]:
    raters = ratings.raters[counted]
    sums = np.bincount(raters, figures[counted], ratings.n_raters)
    counts = np.bincount(raters, minlength=ratings.n_raters)
    means = np.full(len(sums), np.nan)
    np.divide(sums, counts, out=means, where=counts > 0)
    return means


def _medians(ratings: Ratings, seconds: NDArray[np.float64] | None) -> NDArray[np.float64]:
    result = np.full(ratings.n_raters, np.nan)
    if seconds is None:
        return result
    known = ~np.isnan(seconds)
    raters, times = ratings.raters[known], seconds[known]
    order = np.lexsort((times, raters))
    times, counts = times[order], np.bincount(raters, minlength=ratings.n_raters)
    starts, some = np.cumsum(counts) - counts, counts > 0
    low, high = starts + (counts - 1) // 2, starts + counts // 2
    result[some] = (times[low[some]] + times[high[some]]) / 2
    return result
