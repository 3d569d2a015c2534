"""Worker statistics, and the filter that removes workers who rate far from the others.

KPQA cites Jung and Lease (2011), Improving Consensus Accuracy via Z-score and Weighted Voting, for
its filter of ratings. That paper filters workers, by the z-score of each worker among all workers.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from concord.filtering.zscores import DECIMALS, unit_zscores
from concord.reliability import Level, Ratings, RatingsError, alpha, alpha_without_each
from concord.reliability.ratings import from_0_to_1

WorkerMeasure = Literal["among-workers", "mean-abs-z"]
WORKER_MEASURES: tuple[WorkerMeasure, ...] = get_args(WorkerMeasure)


def mean_abs_z(ratings: Ratings, ddof: int = 0) -> NDArray[np.float64]:
    """Each worker's mean |z| within units, shape (n_raters,); NaN for a worker without ratings.

    In a unit of equal ratings |z| is 0. Units with one rating are left out.
    """
    return _worker_mean(ratings, np.abs(_zscores(ratings, ddof)), ratings.pairable)


def filter_workers(
    ratings: Ratings,
    threshold: float = 2.0,
    by: WorkerMeasure = "among-workers",
    ddof: int = 0,
    at_least: int = 2,
) -> NDArray[np.bool_]:
    """Remove all ratings of workers who rate far from the others. Returns the mask of kept, (n,).

    by "among-workers" (Jung and Lease): remove workers whose mean |z| is more than `threshold`
        standard deviations (with `ddof`) above the mean of all workers' mean |z|. One-sided: high
        agreement is not removed.
    by "mean-abs-z": remove workers whose mean |z| is above `threshold`.

    Comparisons are strict, after rounding to 12 decimals. Workers with fewer than `at_least`
    ratings in units of two or more are neither removed nor counted. The filter runs once; the
    remaining workers are not measured again. Raises RatingsError for a threshold of 0 or below
    and for unknown options.
    """
    check_worker_options(threshold, by, ddof, at_least)
    measured = mean_abs_z(ratings, ddof)
    counts = np.bincount(ratings.raters[ratings.pairable], minlength=ratings.n_raters)
    measured[counts < at_least] = np.nan
    is_measured = ~np.isnan(measured)
    if by == "among-workers":
        n = int(is_measured.sum())
        if n < 2 or np.ptp(measured[is_measured]) <= 10.0**-DECIMALS:
            return np.ones(len(ratings), dtype=np.bool_)
        measured = (measured - measured[is_measured].mean()) / measured[is_measured].std(ddof=ddof)
    remove = np.round(np.where(is_measured, measured, -np.inf), DECIMALS) > threshold
    return np.asarray(~remove[ratings.raters])


def check_worker_options(threshold: float, by: str, ddof: int, at_least: int) -> None:
    """Raise RatingsError for an invalid option of the worker filter."""
    if not (np.isfinite(threshold) and threshold > 0):
        raise RatingsError(f"the z-score threshold must be above 0, not {threshold:g}")
    if by not in WORKER_MEASURES:
        raise RatingsError(f"unknown measure '{by}'; choose one of {', '.join(WORKER_MEASURES)}")
    if ddof not in (0, 1):
        raise RatingsError(f"ddof must be 0 (population) or 1 (sample), not {ddof}")
    if at_least < 1:
        raise RatingsError(f"at_least must be 1 or more, not {at_least}")


@dataclass(frozen=True, eq=False)
class WorkerStatistics:
    """Statistics of each worker; arrays of shape (n_raters,), NaN where undefined.

    count: number of ratings, int64. mean_z, mean_abs_z: of ratings within their units; mean_z is
    above 0 for a worker who rates high. correlation: Pearson's r of the worker's ratings with the
    mean of the unit's other ratings, over three units or more. gold_count, int64, and
    gold_accuracy: units with a key, and the share of them rated within the tolerance. seconds:
    median time per rating. alpha_change: alpha without the worker minus alpha with the worker;
    above 0 where agreement is better without.
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
    """Statistics of each worker.

    `gold`, (n_units,), is each unit's key, NaN for none. `seconds`, (n,), is each rating's time,
    NaN where unknown. Raises RatingsError for arrays of another shape.
    """
    if gold is not None and gold.shape != (ratings.n_units,):
        raise RatingsError(f"gold has shape {gold.shape} for {ratings.n_units} units")
    if seconds is not None and seconds.shape != (len(ratings),):
        raise RatingsError(f"seconds has shape {seconds.shape} for {len(ratings)} ratings")
    keys = np.full(len(ratings), np.nan) if gold is None else gold[ratings.units]
    has_key = ~np.isnan(keys)
    right = np.abs(ratings.values - keys) <= tolerance + 10.0**-DECIMALS * np.abs(keys)
    alpha_of_all = alpha(ratings, level).value
    alpha_without = alpha_without_each(ratings, level)
    z = _zscores(ratings, ddof)
    return WorkerStatistics(
        count=np.bincount(ratings.raters, minlength=ratings.n_raters).astype(np.int64),
        mean_z=_worker_mean(ratings, z, ratings.pairable),
        mean_abs_z=_worker_mean(ratings, np.abs(z), ratings.pairable),
        correlation=correlation_with_others(ratings),
        gold_count=np.bincount(ratings.raters[has_key], minlength=ratings.n_raters).astype(
            np.int64
        ),
        gold_accuracy=_worker_mean(ratings, right.astype(np.float64), has_key),
        seconds=_medians(ratings, seconds),
        alpha_change=alpha_without - (np.nan if alpha_of_all is None else alpha_of_all),
    )


def correlation_with_others(ratings: Ratings) -> NDArray[np.float64]:
    """Pearson's r of each worker's ratings with the mean of the others' ratings of the same units.

    Shape (n_raters,), each in [-1, 1]. NaN for a worker with fewer than three such units, or
    where either side does not vary.
    """
    sizes, n = ratings.unit_sizes, ratings.n_raters
    is_counted = ratings.pairable
    rated = from_0_to_1(ratings.values)
    sums = np.bincount(ratings.units, rated, ratings.n_units)
    # A worker may have two ratings of a unit (after shuffling); none of them counts as another's.
    cells = ratings.units * n + ratings.raters
    _, cell = np.unique(cells, return_inverse=True)
    own, own_sum = np.bincount(cell)[cell], np.bincount(cell, rated)[cell]
    other_counts = sizes[ratings.units] - own
    is_counted = is_counted & (other_counts > 0)
    raters, values = ratings.raters[is_counted], rated[is_counted]
    others = (sums[ratings.units] - own_sum)[is_counted] / other_counts[is_counted]
    counts = np.bincount(raters, minlength=n)
    with np.errstate(invalid="ignore", divide="ignore"):
        x = values - (np.bincount(raters, values, n) / counts)[raters]
        y = others - (np.bincount(raters, others, n) / counts)[raters]
        spread = np.bincount(raters, x * x, n), np.bincount(raters, y * y, n)
        result = np.bincount(raters, x * y, n) / np.sqrt(spread[0] * spread[1])
    rounding = 1e-24 * counts
    result[(counts < 3) | (spread[0] <= rounding) | (spread[1] <= rounding)] = np.nan
    return np.asarray(np.clip(result, -1.0, 1.0))


def equal_to_others(ratings: Ratings) -> NDArray[np.float64]:
    """How often each worker gives the value that others give, for values that are names.

    Shape (n_raters,), each in [0, 1]: the mean, over the worker's ratings, of the share of the
    others' ratings of the same unit that are equal. NaN for a worker without such a unit.
    """
    sizes = ratings.unit_sizes[ratings.units]
    cells = np.stack([ratings.units.astype(np.float64), ratings.values])
    _, cell = np.unique(cells, axis=1, return_inverse=True)
    equal = np.bincount(cell)[cell] - 1
    is_counted = sizes > 1
    shares = np.divide(equal, sizes - 1, out=np.zeros(len(ratings)), where=is_counted)
    return _worker_mean(ratings, shares, is_counted)


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
    is_timed = ~np.isnan(seconds)
    raters, times = ratings.raters[is_timed], seconds[is_timed]
    order = np.lexsort((times, raters))
    times, counts = times[order], np.bincount(raters, minlength=ratings.n_raters)
    starts, has_times = np.cumsum(counts) - counts, counts > 0
    low, high = starts + (counts - 1) // 2, starts + counts // 2
    result[has_times] = (times[low[has_times]] + times[high[has_times]]) / 2
    return result
