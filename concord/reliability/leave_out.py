"""Alpha without each rater in turn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from concord.reliability.coincidences import Coincidences, Tally, coincidences, tally
from concord.reliability.krippendorff import BLOCK_CELLS, Level, alphas, check_level, totals
from concord.reliability.ratings import Ratings


def alpha_without_each(ratings: Ratings, level: Level = "ordinal") -> NDArray[np.float64]:
    """Alpha of the ratings without those of rater r, for every r: shape (n_raters,).

    NaN where that is undefined. Only the units that r rated are counted anew: from all tables
    theirs are taken away, and theirs without r are added.
    """
    check_level(level)
    whole = coincidences(ratings)
    values, codes = np.unique(ratings.values, return_inverse=True)
    result = np.full(ratings.n_raters, np.nan)
    if not len(values) or (level == "ratio" and values[0] < 0):
        return result
    order = np.argsort(ratings.units, kind="stable")
    rated = _Sorted(
        ratings.units[order],
        ratings.raters[order],
        codes[order],
        ratings.unit_sizes,
    )
    for first, last, incidences in _blocks(ratings, whole):
        result[first:last] = _without(rated, whole, incidences, first, last, level)
    return result


class _Sorted:
    """Ratings sorted by unit, and where each unit begins."""

    def __init__(
        self,
        units: NDArray[np.int64],
        raters: NDArray[np.int64],
        codes: NDArray[np.int64],
        sizes: NDArray[np.int64],
    ) -> None:
        self.units, self.raters, self.codes, self.sizes = units, raters, codes, sizes
        self.starts = np.cumsum(sizes) - sizes


def _blocks(ratings: Ratings, whole: Coincidences) -> Iterator[tuple[int, int, NDArray[np.int64]]]:
    """Raters `first` to `last` - 1 with their (rater, unit) incidences, a bounded lot at a time."""
    n = ratings.n_units
    incidences = np.unique(ratings.raters * n + ratings.units)
    bounds = np.searchsorted(incidences, np.arange(ratings.n_raters + 1) * n)
    rows = np.concatenate([[0], np.cumsum(ratings.unit_sizes[incidences % max(1, n)])])
    # What a rater costs: the ratings of all units rated, and a row of both tables.
    cost = rows[bounds] + np.arange(len(bounds)) * (len(whole.values) + len(whole.pairs))
    first = 0
    while first < ratings.n_raters:
        past = int(np.searchsorted(cost, cost[first] + BLOCK_CELLS, side="right")) - 1
        last = max(first + 1, past)
        yield first, last, incidences[bounds[first] : bounds[last]]
        first = last


def _without(
    rated: _Sorted,
    whole: Coincidences,
    incidences: NDArray[np.int64],
    first: int,
    last: int,
    level: Level,
) -> NDArray[np.float64]:
    """Alpha without each of the raters `first` to `last` - 1."""
    rater, unit = np.divmod(incidences, len(rated.sizes))
    # Every rating of every incidence's unit: a copy of the unit for each rater who rated it.
    sizes = rated.sizes[unit]
    copy = np.repeat(np.arange(len(incidences)), sizes)
    offset = np.arange(len(copy)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    at = rated.starts[unit][copy] + offset
    others = rated.raters[at] != rater[copy]
    n_values = len(whole.values)
    before = tally(copy, rated.codes[at], rater - first, n_values)
    after = tally(copy[others], rated.codes[at[others]], rater - first, n_values)
    margins, meetings, units = (
        total + plus - minus
        for total, plus, minus in zip(
            (
                totals(whole.margins),
                totals(whole.meetings),
                whole.units.sum(),
            ),
            _dense(after, whole, last - first),
            _dense(before, whole, last - first),
            strict=True,
        )
    )
    found = alphas(whole, margins, meetings, level)
    found[units < 2] = np.nan
    return found


def _dense(
    found: Tally, whole: Coincidences, n_rows: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Margins (n_rows, V), meetings (n_rows, Q) and units (n_rows,) of a tally."""
    n_values, n_pairs = len(whole.values), len(whole.pairs)
    keys = whole.pairs[:, 0] * n_values + whole.pairs[:, 1]
    columns = np.searchsorted(keys, found.keys)
    margins = np.bincount(
        found.margin_rows * n_values + found.margin_columns, minlength=n_rows * n_values
    )
    meetings = np.bincount(
        found.rows * n_pairs + columns, weights=found.weights, minlength=n_rows * n_pairs
    )
    return (
        margins.reshape(n_rows, n_values).astype(np.float64),
        meetings.reshape(n_rows, n_pairs).astype(np.float64),
        np.bincount(found.unit_rows, minlength=n_rows).astype(np.float64),
    )
