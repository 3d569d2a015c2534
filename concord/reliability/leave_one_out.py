"""Alpha without each rater, and its interval for other raters."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from concord.arrays import Floats, Integers
from concord.inference import Estimate
from concord.inference.leave_one_out import left_out_estimate, left_out_of
from concord.reliability.coincidences import count_codes, count_coincidences
from concord.reliability.krippendorff import (
    BLOCK_CELLS,
    Level,
    alpha,
    column_sums,
    compute_alphas,
)
from concord.reliability.ratings import Ratings, check_option


def alpha_without_each(ratings: Ratings, level: Level = "ordinal") -> Floats:
    """Alpha of the ratings without those of rater r, for every r: shape (n_raters,).

    NaN where it is undefined. Only the units that r rated are counted again: their tables are
    subtracted from the totals, and their tables without r are added.
    """
    check_option("level", level, Level)
    whole = count_coincidences(ratings)
    result = np.full(ratings.n_raters, np.nan)
    if not len(whole.values) or (level == "ratio" and whole.values[0] < 0):
        return result
    order = np.argsort(ratings.units, kind="stable")
    raters, codes = ratings.raters[order], np.searchsorted(whole.values, ratings.values[order])
    sizes = ratings.unit_sizes
    starts = np.cumsum(sizes) - sizes
    incidences = np.unique(ratings.raters * len(sizes) + ratings.units)
    rater_of, unit_of = np.divmod(incidences, max(1, len(sizes)))
    # The memory of a rater: the ratings of all units rated, and a row of both tables.
    cost = np.bincount(rater_of, sizes[unit_of]) + len(whole.values) + len(whole.pairs)
    step = max(1, int(BLOCK_CELLS / cost.max()))
    for first in range(0, ratings.n_raters, step):
        last = min(first + step, ratings.n_raters)
        in_block = slice(*np.searchsorted(rater_of, (first, last)))
        rater, unit = rater_of[in_block], unit_of[in_block]
        # All ratings of the unit of each incidence: a copy of the unit for each of its raters.
        copied = sizes[unit]
        copy = np.repeat(np.arange(len(unit)), copied)
        offset = np.arange(len(copy)) - np.repeat(np.cumsum(copied) - copied, copied)
        rows = starts[unit][copy] + offset
        is_other = raters[rows] != rater[copy]
        before, after = (
            count_codes(
                whole.values,
                copy[kept],
                codes[rows[kept]],
                rater - first,
                last - first,
                whole.pairs,
            )
            for kept in (np.ones(len(copy), dtype=np.bool_), is_other)
        )
        alphas = compute_alphas(
            whole,
            column_sums(whole.margins) + (after.margins - before.margins).toarray(),
            column_sums(whole.meetings) + (after.meetings - before.meetings).toarray(),
            level,
        )
        alphas[whole.units.sum() + after.units - before.units < 2] = np.nan
        result[first:last] = alphas
    return result


def alpha_of_other_raters(ratings: Ratings, level: Level = "ordinal") -> Estimate:
    """Alpha with an interval for other passages and other raters of this kind.

    `alpha` has the interval for these raters; where raters differ in how well they agree with the
    others, it is too narrow for others. By leaving out each passage, rater and cell of the two
    (`left_out_estimate`). Undefined as `alpha` is; raises RatingsError for an unknown level.
    """
    estimate = alpha(ratings, level)
    if estimate.value is None:
        return estimate
    paired = ratings.keep(ratings.pairable)
    passages = paired.units if paired.clusters is None else paired.clusters[paired.units]

    def without(codes: Integers) -> Floats:
        codes = np.unique(codes, return_inverse=True)[1]
        return alpha_without_each(replace(paired, raters=codes, rater_names=()), level)

    left_out = left_out_of(without, passages, paired.raters)
    unit = ratings.cluster_unit
    result = left_out_estimate(estimate.value, left_out, "correlation", unit=unit)
    return replace(result, n=estimate.n)
