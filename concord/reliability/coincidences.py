"""Krippendorff's coincidences by group: the sufficient statistics of alpha.

Krippendorff, K. (2011), Computing Krippendorff's Alpha-Reliability: a unit u with m_u >= 2 ratings
adds, for each ordered pair of its ratings with values c and k, 1 / (m_u - 1) to o_ck. With n_c the
row sums and n their sum,

    alpha = 1 - (n - 1) * sum_ck o_ck d_ck / sum_ck n_c n_k d_ck.

Both sums are linear in groups of units, so the alpha of any weighting of groups (a bootstrap
resample, one rater left out) needs only the groups' tables. As d_cc = 0, only o_ck with c < k is
stored, and only for pairs of values that occur together in a unit. So memory grows with the number
of ratings, not with the square of the number of distinct values.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy

from concord.arrays import Floats, Integers
from concord.reliability.ratings import Ratings


@dataclass(frozen=True, eq=False)
class Coincidences:
    """Coincidences of V distinct values in G groups of units, with Q pairs of values.

    values: float64 (V,), ascending.
    pairs: int64 (Q, 2), codes c < k of values that occur in one unit, ascending.
    margins: float64 sparse (G, V), n_c.
    meetings: float64 sparse (G, Q), o_ck + o_kc.
    units: int64 (G,), units with two ratings or more.
    """

    values: Floats
    pairs: Integers
    margins: scipy.sparse.csr_array
    meetings: scipy.sparse.csr_array
    units: Integers


def count_coincidences(
    ratings: Ratings, groups: Integers | None = None, n_groups: int = 1
) -> Coincidences:
    """Count the coincidences of each group; `groups` is each unit's group, by default one group."""
    values, codes = np.unique(ratings.values, return_inverse=True)
    unit_groups = np.zeros(ratings.n_units, dtype=np.int64) if groups is None else groups
    return count_codes(values, ratings.units, codes, unit_groups, n_groups)


def count_codes(
    values: Floats,
    units: Integers,
    codes: Integers,
    groups: Integers,
    n_groups: int,
    pairs: Integers | None = None,
) -> Coincidences:
    """Coincidences of ratings as codes of `values`; `groups` is each unit's group.

    pairs: the pairs of values to have, (Q, 2), ascending, with all that occur; by default these.
    """
    n_values = max(1, len(values))
    sizes = np.bincount(units, minlength=len(groups))
    is_paired = (sizes >= 2)[units]
    units, codes = units[is_paired], codes[is_paired]
    # The distinct values of each unit, ascending within it, and how often each occurs.
    cells, counts = np.unique(units * n_values + codes, return_counts=True)
    cell_units, cell_codes = np.divmod(cells, n_values)
    first, second = pairs_within(cell_units)
    found = cell_codes[first] * n_values + cell_codes[second]
    keys = np.unique(found) if pairs is None else pairs[:, 0] * n_values + pairs[:, 1]
    shape = n_groups, len(values)
    margins = scipy.sparse.csr_array((np.ones(len(codes)), (groups[units], codes)), shape=shape)
    weights = 2.0 * counts[first] * counts[second] / (sizes[cell_units[first]] - 1)
    columns, rows = np.searchsorted(keys, found), groups[cell_units[first]]
    return Coincidences(
        values=values,
        pairs=np.stack(np.divmod(keys, n_values), axis=1),
        margins=margins,
        meetings=scipy.sparse.csr_array((weights, (rows, columns)), shape=(n_groups, len(keys))),
        units=np.bincount(groups[sizes >= 2], minlength=n_groups).astype(np.int64),
    )


def pairs_within(groups: Integers) -> tuple[Integers, Integers]:
    """The positions (first, second), first < second, of every two entries with the same group, of
    ascending groups, (n,)."""
    lows, lags = [np.empty(0, dtype=np.int64)], [0]
    low = np.arange(len(groups))
    while len(low):
        lag = len(lags)
        low = low[low + lag < len(groups)]
        low = low[groups[low + lag] == groups[low]]
        lows.append(low)
        lags.append(lag)
    first = np.concatenate(lows)
    return first, first + np.repeat(lags, list(map(len, lows)))
