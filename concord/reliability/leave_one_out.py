"""Alpha without each rater, and its interval for other raters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from concord.inference import Estimate
from concord.inference.leave_one_out import left_out_estimate
from concord.reliability.coincidences import (
    CoincidenceCells,
    Coincidences,
    count_coincidences,
    tally_coincidences,
)
from concord.reliability.krippendorff import (
    BLOCK_CELLS,
    Level,
    alpha,
    check_level,
    column_sums,
    compute_alphas,
)
from concord.reliability.ratings import Ratings


def alpha_without_each(ratings: Ratings, level: Level = "ordinal") -> NDArray[np.float64]:
    """Alpha of the ratings without those of rater r, for every r: shape (n_raters,).

    NaN where it is undefined. Only the units that r rated are counted again: their tables are
    subtracted from the totals, and their tables without r are added.
    """
    check_level(level)
    coincidences = count_coincidences(ratings)
    values, codes = np.unique(ratings.values, return_inverse=True)
    result = np.full(ratings.n_raters, np.nan)
    if not len(values) or (level == "ratio" and values[0] < 0):
        return result
    order = np.argsort(ratings.units, kind="stable")
    sorted_ratings = _Sorted(
        ratings.units[order],
        ratings.raters[order],
        codes[order],
        ratings.unit_sizes,
    )
    for first, last, incidences in _blocks(ratings, coincidences):
        result[first:last] = _alphas_without(
            sorted_ratings, coincidences, incidences, first, last, level
        )
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
    cells = paired.raters * (int(passages.max()) + 1) + passages

    def without(codes: NDArray[np.int64]) -> NDArray[np.float64]:
        codes = np.unique(codes, return_inverse=True)[1]
        return alpha_without_each(replace(paired, raters=codes, rater_names=()), level)

    left_out = without(passages), without(paired.raters), without(cells)
    unit = ratings.cluster_unit
    result = left_out_estimate(estimate.value, left_out, "correlation", unit=unit)
    return replace(result, n=estimate.n)


class _Sorted:
    """Ratings sorted by unit, and the first index of each unit."""

    def __init__(
        self,
        units: NDArray[np.int64],
        raters: NDArray[np.int64],
        codes: NDArray[np.int64],
        sizes: NDArray[np.int64],
    ) -> None:
        self.units, self.raters, self.codes, self.sizes = units, raters, codes, sizes
        self.starts = np.cumsum(sizes) - sizes


def _blocks(
    ratings: Ratings, coincidences: Coincidences
) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
    """Raters `first` to `last` - 1 with their (rater, unit) incidences, in blocks of bounded
    size."""
    n = ratings.n_units
    incidences = np.unique(ratings.raters * n + ratings.units)
    bounds = np.searchsorted(incidences, np.arange(ratings.n_raters + 1) * n)
    rows = np.concatenate([[0], np.cumsum(ratings.unit_sizes[incidences % max(1, n)])])
    # The memory of a rater: the ratings of all units rated, and a row of both tables.
    cost = rows[bounds] + np.arange(len(bounds)) * (
        len(coincidences.values) + len(coincidences.pairs)
    )
    first = 0
    while first < ratings.n_raters:
        next_first = int(np.searchsorted(cost, cost[first] + BLOCK_CELLS, side="right")) - 1
        last = max(first + 1, next_first)
        yield first, last, incidences[bounds[first] : bounds[last]]
        first = last


def _alphas_without(
    sorted_ratings: _Sorted,
    coincidences: Coincidences,
    incidences: NDArray[np.int64],
    first: int,
    last: int,
    level: Level,
) -> NDArray[np.float64]:
    """Alpha without each of the raters `first` to `last` - 1."""
    rater, unit = np.divmod(incidences, len(sorted_ratings.sizes))
    # All ratings of the unit of each incidence: a copy of the unit for each of its raters.
    sizes = sorted_ratings.sizes[unit]
    copy = np.repeat(np.arange(len(incidences)), sizes)
    offset = np.arange(len(copy)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    positions = sorted_ratings.starts[unit][copy] + offset
    is_other = sorted_ratings.raters[positions] != rater[copy]
    n_values = len(coincidences.values)
    before = tally_coincidences(copy, sorted_ratings.codes[positions], rater - first, n_values)
    after = tally_coincidences(
        copy[is_other], sorted_ratings.codes[positions[is_other]], rater - first, n_values
    )
    margins, meetings, units = (
        total + plus - minus
        for total, plus, minus in zip(
            (
                column_sums(coincidences.margins),
                column_sums(coincidences.meetings),
                coincidences.units.sum(),
            ),
            _dense_tables(after, coincidences, last - first),
            _dense_tables(before, coincidences, last - first),
            strict=True,
        )
    )
    alphas = compute_alphas(coincidences, margins, meetings, level)
    alphas[units < 2] = np.nan
    return alphas


def _dense_tables(
    tally: CoincidenceCells, coincidences: Coincidences, n_rows: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Margins (n_rows, V), meetings (n_rows, Q) and units (n_rows,) of a tally."""
    n_values, n_pairs = len(coincidences.values), len(coincidences.pairs)
    keys = coincidences.pairs[:, 0] * n_values + coincidences.pairs[:, 1]
    columns = np.searchsorted(keys, tally.keys)
    margins = np.bincount(
        tally.margin_rows * n_values + tally.margin_columns, minlength=n_rows * n_values
    )
    meetings = np.bincount(
        tally.rows * n_pairs + columns, weights=tally.weights, minlength=n_rows * n_pairs
    )
    return (
        margins.reshape(n_rows, n_values).astype(np.float64),
        meetings.reshape(n_rows, n_pairs).astype(np.float64),
        np.bincount(tally.unit_rows, minlength=n_rows).astype(np.float64),
    )
