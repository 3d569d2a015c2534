"""Inversions of a sequence, counted for many weightings at once.

Kendall's tau needs, for elements sorted by x (and by y where x ties), the weight of the pairs
i < j with y_i > y_j. Two different values of y differ first at one bit of their dense codes: among
the elements that agree in all higher bits, the one earlier in the sequence has a 1 there, the later
a 0. So at each bit, from the highest, the elements are arranged by their higher bits (stably), and
an inversion is a 1 before a 0 in one block: each 0 counts the ones before it by a cumulative sum.
The arrangements depend on the sequence alone and are made once; a weighting then costs
O(N log L) for L distinct y (a wavelet tree's levels; Grossi, Gupta and Vitter 2003).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from concord.arrays import Counts, Floats, Integers
from concord.meta.groups import products_between


@dataclass(frozen=True, eq=False)
class _Level:
    """ones, zeros: positions in the sequence, in this level's arrangement. upto, since: how many
    of `ones` stand before each zero, and before its block. starts: where each of `groups` begins
    among the zeros."""

    ones: Integers
    zeros: Integers
    upto: Integers
    since: Integers | None
    starts: Integers
    groups: Integers


class Inversions:
    """A sequence with groups that lie together; `groups` ascends, `values` is any float64."""

    def __init__(self, groups: Integers, values: Floats) -> None:
        group = np.unique(groups, return_inverse=True)[1].reshape(-1)
        self.n_groups = int(group[-1]) + 1 if len(group) else 0
        self._n = len(values)
        self._levels: list[_Level] = []
        codes = _codes_within(group, values)
        order = np.arange(len(values))
        block = group
        for bit in reversed(range(int(codes.max(initial=0)).bit_length())):
            ones = (codes[order] >> bit) & 1
            level = _level(order, block, ones, group)
            if level is not None:
                self._levels.append(level)
            arrangement = np.argsort(block * 2 + ones, kind="stable")
            order, block = order[arrangement], (block * 2 + ones)[arrangement]
            block = np.cumsum(np.concatenate([[0], block[1:] != block[:-1]]))

    def involving(self, weights: Floats) -> Floats:
        """The weight of the elements that each element is inverted with: (N,), of weights (N,)."""
        counts = np.zeros(self._n)
        for level in self._levels:
            since = np.zeros_like(level.upto) if level.since is None else level.since
            upto = np.concatenate([[0.0], np.cumsum(weights[level.ones])])
            counts[level.zeros] += upto[level.upto] - upto[since]
            # A one is before the zeros that begin to count at or before it, and end after it.
            size, zeros = len(upto), weights[level.zeros]
            change = np.bincount(since, zeros, size) - np.bincount(level.upto, zeros, size)
            counts[level.ones] += np.cumsum(change)[:-1]
        return counts

    def count(self, weights: Counts) -> Floats:
        """The weight of inverted pairs in each group, (D, G), for weights (D, N)."""
        counts = np.zeros((len(weights), self.n_groups))
        for level in self._levels:
            upto = np.empty((len(weights), len(level.ones) + 1), dtype=np.int32)
            upto[:, 0] = 0
            np.cumsum(weights.take(level.ones, axis=1), axis=1, out=upto[:, 1:])
            before = upto.take(level.upto, axis=1)
            if level.since is not None:
                before -= upto.take(level.since, axis=1)
            zeros = weights.take(level.zeros, axis=1)
            counts[:, level.groups] += products_between(zeros, before, level.starts)
        return counts


def _codes_within(group: Integers, values: Floats) -> Integers:
    """Dense ranks from 0 of the values within their group."""
    if not len(values):
        return np.empty(0, dtype=np.int64)
    order = np.lexsort((values, group))
    sorted_group, sorted_values = group[order], values[order]
    new_group = np.concatenate([[True], sorted_group[1:] != sorted_group[:-1]])
    new_value = new_group | np.concatenate([[True], sorted_values[1:] != sorted_values[:-1]])
    dense = np.cumsum(new_value)
    firsts = dense[new_group]
    codes = np.empty(len(values), dtype=np.int64)
    codes[order] = dense - firsts[sorted_group]
    return codes


def _level(order: Integers, block: Integers, ones: Integers, group: Integers) -> _Level | None:
    """What counting at one bit needs; blocks in which nothing is inverted are left out."""
    firsts = np.flatnonzero(np.concatenate([[True], block[1:] != block[:-1]]))
    total = np.cumsum(ones)
    before = total - ones
    inverted = (ones == 0) & (before > before[firsts][block])
    useful = np.zeros(len(firsts), dtype=bool)
    useful[block[inverted]] = True
    used_ones = (ones == 1) & useful[block]
    if not inverted.any():
        return None
    upto = np.cumsum(used_ones)[inverted]
    since = (np.cumsum(used_ones) - used_ones)[firsts][block[inverted]]
    zeros = order[inverted]
    of_zero = group[zeros]
    groups, starts = np.unique(of_zero, return_index=True)
    return _Level(
        ones=order[used_ones],
        zeros=zeros,
        upto=upto,
        since=since if since.any() else None,
        starts=starts,
        groups=groups,
    )
